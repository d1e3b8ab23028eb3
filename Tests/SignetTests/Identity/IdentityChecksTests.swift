// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite("Checks of identity calls that do not need the platform") struct IdentityChecksTests {
    private static func calls(_ request: IdentityRequest) -> [IdentityCall] {
        [
            .transition(.identify, request), .transition(.login, request), .transition(.logout, request),
            .modify(request), .search(request),
        ]
    }

    /// A login without a value would log the user out, and log in whoever comes next.
    @Test(arguments: [IdentityRequest(), [.customerID: nil], [.customerID: nil, .email: nil]])
    func searchAndLoginNeedAValue(_ request: IdentityRequest) throws {
        for call in [IdentityCall.transition(.identify, request), .transition(.logout, request), .modify(request)] {
            try call.validate()
        }
        for call in [IdentityCall.search(request), .transition(.login, request)] {
            let error = #expect(throws: SignetError.self) { try call.validate() }
            #expect(error?.code == .invalidArgument)
        }
        for call in Self.calls([.customerID: "c-1", .email: nil]) { try call.validate() }
    }

    /// The platform does not know a user by them, so it would log the user out as without a value.
    @Test(
        arguments: [
            [.pushToken: "t"], [.androidUUID: "u", .customerID: nil], [.iosVendorID: "v", .pushToken: "t"],
        ] as [IdentityRequest]
    )
    func aLoginNeedsMoreThanIdentitiesOfTheDevice(_ request: IdentityRequest) throws {
        let login = IdentityCall.transition(.login, request)
        #expect(#expect(throws: SignetError.self) { try login.validate() }?.code == .invalidArgument)
        for call in Self.calls(request) where call != login { try call.validate() }
    }

    @Test(
        arguments: Self.calls([.customerID: ""]) + Self.calls([.deviceApplicationStamp: "s"])
            + Self.calls([.customerID: " "]) + Self.calls([.email: "\u{A0}\u{2003}\u{FEFF}"])
    )
    func eachCallChecksItsRequest(_ call: IdentityCall) {
        let error = #expect(throws: SignetError.self) { try call.validate() }
        #expect(error?.code == .invalidArgument)
    }

    @Test func callsOfSignetItselfHaveNothingToCheck() throws {
        for call in [IdentityCall.start([.customerID: ""]), .startIfUnknown(nil), .pushToken] { try call.validate() }
    }

    @Test(
        arguments: [
            (.pushToken, "t", true), (.pushToken, nil, true), (.pushToken, "", false), (.customerID, "c-1", false),
            (.customerID, nil, false), (.deviceApplicationStamp, "s", false),
        ] as [(IdentityType, String?, Bool)]
    )
    func onlyDeviceIdentitiesAreSetOnTheDevice(_ type: IdentityType, _ value: String?, _ isValid: Bool) throws {
        guard !isValid else { return try IdentityRequest.validate(device: value, of: type) }
        let error = #expect(throws: SignetError.self) { try IdentityRequest.validate(device: value, of: type) }
        #expect(error?.code == .invalidArgument)
    }
}
