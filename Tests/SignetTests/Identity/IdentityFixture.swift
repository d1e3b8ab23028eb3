// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What tests of the identity machine begin with: moments, users and machines.
enum IdentityFixture {
    /// The moment at which the installation was made, in milliseconds since 1970.
    static let now: Int64 = 1_700_000_000_000
    static let stamp = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
    static let login = IdentityCall.transition(.login, [.customerID: "c-1"])

    /// A user's number; zero is a mistake of the test.
    static func mpid(_ number: Int64) -> MPID {
        guard let mpid = MPID(rawValue: number) else { preconditionFailure("Zero is no user.") }
        return mpid
    }

    /// A state that has met nobody.
    static var empty: IdentityState {
        IdentityState(deviceApplicationStamp: Self.stamp, now: Self.now)
    }

    /// A state with one user.
    static func state(of mpid: Int64 = 1, _ request: IdentityRequest = [.customerID: "c-1"]) -> IdentityState {
        var state = Self.empty
        _ = state.directory.resolve(
            to: Self.mpid(mpid),
            isLoggedIn: true,
            isEphemeral: false,
            request: request,
            now: Self.now
        )
        return state
    }

    /// A machine with one user and nothing under way.
    static func machine(of mpid: Int64 = 1, _ request: IdentityRequest = [.customerID: "c-1"]) -> IdentityStateMachine {
        IdentityStateMachine(restoring: Self.state(of: mpid, request))
    }

    static func reply(
        _ mpid: Int64,
        isLoggedIn: Bool = true,
        isEphemeral: Bool = false,
        context: String? = nil
    ) -> IdentityAnswer {
        .user(
            IdentityReply(
                mpid: Self.mpid(mpid),
                isLoggedIn: isLoggedIn,
                isEphemeral: isEphemeral,
                context: context
            )
        )
    }

    /// An answer to modify, spelt as the platform does.
    static func modified(_ json: String = "{}") throws -> IdentityAnswer {
        .modified(try ModifyReply(Array(json.utf8)))
    }
}

extension IdentityStateMachine {
    /// Begins a call and has it sent.
    ///
    /// - Returns: Its number and what is sent; nil when nothing is.
    mutating func send(
        _ call: IdentityCall,
        now: Int64 = IdentityFixture.now
    ) -> (number: Int, plan: IdentityPlan)? {
        guard case .start(let number) = self.begin(call, mayWait: false, now: now),
            case .send(let plan) = self.startSending(number, now: now)
        else { return nil }
        return (number, plan)
    }

    /// Begins a call, has it sent and gives the answer.
    mutating func exchange(
        _ call: IdentityCall,
        _ answer: IdentityAnswer,
        now: Int64 = IdentityFixture.now
    ) -> Finish? {
        guard let number = self.send(call, now: now)?.number else { return nil }
        return self.finish(number, with: answer, now: now)
    }
}

extension IdentityOutcome {
    /// What identify, login or logout found; nil for another end.
    var resolved: IdentityResult? {
        if case .resolved(let result) = self { result } else { nil }
    }

    /// What modify did; nil for another end.
    var modified: ModifyResult? {
        if case .modified(let result) = self { result } else { nil }
    }

    /// Why it failed; nil for another end.
    var code: SignetError.Code? {
        if case .failed(let error) = self { error.code } else { nil }
    }
}

/// Takes a value out of an optional, or ends the test: the macro itself takes no mutating call.
func required<Value>(_ value: Value?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}

extension UserDirectory {
    /// Sets or removes one attribute.
    ///
    /// - Returns: Whether there is such a user.
    mutating func setAttribute(_ value: AttributeValue?, for key: String, of mpid: MPID?) -> Bool {
        guard var editor = self.editor(of: mpid) else { return false }
        do throws(SignetError) {
            try editor.set(value, for: key)
        } catch {
            Issue.record(error)
        }
        self.take(editor, of: mpid)
        return true
    }
}
