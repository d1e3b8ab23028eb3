// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetIterable

/// Two readings of one documentation: what the wire writes, the emulator takes, and the wire reads what comes back.
struct IterableWireTests {
    private static let now: Int64 = 1_700_000_000
    private static let ann = IterableIdentity.email("ann@example.com")
    private static let unknown = IterableIdentity.userID("5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11")
    private static let item = IterableItem(
        id: "i",
        name: "Boots",
        price: 21.25,
        quantity: 2,
        sku: "s",
        itemDescription: "d",
        url: "u",
        imageURL: "i",
        categories: ["c"],
        fields: ["size": 42]
    )

    private static func bodies(of user: IterableIdentity) -> [(IterableRoute, [UInt8])] {
        let device = IterableDevice(deviceID: "D1", platform: "Linux")
        let sessions = UnknownSessionBody.Sessions(total: 1, first: now, last: now)
        let purchase = IterableCommerceBody(
            user: user,
            items: [item],
            content: .purchase(total: 42.5, fields: ["c": "d"], purchaseID: "P"),
            createdAt: now - 9
        )
        let cart = IterableCommerceBody(user: user, items: [item], content: .cart, createdAt: now - 8)
        let session = UnknownSessionBody(
            userID: "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11",
            fields: ["plan": "gold"],
            createdAt: now,
            device: device,
            sessions: sessions,
            matchedCriteriaID: "1",
            pushOptIn: "com.example"
        )
        let consent = IterableConsentBody(
            user: user,
            consentTimestamp: now * 1000,
            isUserKnown: true,
            createdAt: now,
            device: device
        )
        let event = IterableEventBody(
            user: user,
            name: "e",
            createdAt: now - 7,
            fields: ["a": 1],
            eventID: "E"
        )
        let update = IterableUpdateBody(
            user: user,
            fields: ["b": 2],
            mergesNestedObjects: true,
            createdAt: now
        )
        let register = DeviceTokenBody(
            user: user,
            token: "0aff",
            platform: "APNS",
            applicationName: "com.example",
            fields: ["deviceId": "D1"],
            createdAt: now
        )
        return [
            (.criteria, []), (.remoteConfiguration, []), (.session, session.encoded()),
            (.trackEvent, event.encoded()), (purchase.route, purchase.encoded()),
            (cart.route, cart.encoded()),
            (.updateUser, update.encoded()), (.consent, consent.encoded()),
            (.registerDevice, register.encoded()),
            (.disableDevice, DisableDeviceBody(token: "0aff", user: user, createdAt: now).encoded()),
        ]
    }

    private static func send(
        _ route: IterableRoute,
        _ body: [UInt8],
        token: Secret?,
        to emulator: Emulator,
        server: IterableServer = .unitedStates
    ) async throws -> IterableVerdict {
        let query: [(name: String, value: String)] =
            route == .remoteConfiguration
            ? [("platform", "Linux"), ("systemVersion", "6.1 x"), ("SDKVersion", "0.1.0")] : []
        let request = try IterableRequestBuilder(apiKey: "emulated-project", server: server).request(
            for: route,
            body: body,
            query: query,
            token: token,
            at: Self.now * 1000,
            timeout: .seconds(1),
            responseLimit: 1 << 20
        )
        return IterableVerdict(try await emulator.transport.send(request), now: Self.now * 1000)
    }

    private static func emulator() -> Emulator {
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = [
            EmulatedIterableProject(
                requiresTokens: true,
                criteria: #"{"count":1,"criteriaSets":[{"criteriaId":"1"}]}"#
            )
        ]
        return Emulator(configuration)
    }

    @Test(arguments: [IterableIdentity.email("ann@example.com"), unknown])
    func everyRequestIsTakenWithEveryHeader(user: IterableIdentity) async throws {
        let emulator = Self.emulator()
        let id: EmulatedIterableUserID =
            switch user {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
        let token = Secret(emulator.iterable.signToken(for: id))
        for (route, body) in Self.bodies(of: user) {
            #expect(try await Self.send(route, body, token: token, to: emulator) == .success, "\(route)")
        }
        let visitors = emulator.iterable
        #expect(visitors.requests().allSatisfy { $0.headerFaults.isEmpty && $0.status == 200 })
        #expect(
            visitors.events().map { $0.createdAt?.timeIntervalSince1970 }
                == [7, 9, 8].map { Double(Self.now - $0) }
        )
        #expect(visitors.events().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(visitors.users().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(visitors.user(id)?.devices.map(\.isEnabled) == [false])
        #expect(visitors.consents().map(\.user) == [id])
    }

    @Test func mergesAndNewAddressesAreTaken() async throws {
        let emulator = Self.emulator()
        let own = IterableServer(try ServerURL("http://localhost:8080"))
        let token = Secret(emulator.iterable.signToken(for: .email("ann@example.com")))
        for (route, body) in Self.bodies(of: Self.ann) where route == .session || route == .trackEvent {
            #expect(try await Self.send(route, body, token: token, to: emulator, server: own) == .success)
        }
        let merge = IterableMergeBody(
            sourceUserID: "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11",
            destination: Self.ann,
            createdAt: Self.now
        )
        #expect(
            try await Self.send(.merge, merge.encoded(), token: token, to: emulator, server: own)
                == .success
        )
        #expect(emulator.iterable.merges().map(\.tokenOwner) == [.email("ann@example.com")])
        let change = IterableEmailBody(
            current: Self.ann,
            newEmail: "anna@example.com",
            createdAt: Self.now
        )
        #expect(
            try await Self.send(.updateEmail, change.encoded(), token: token, to: emulator) == .success
        )
        #expect(emulator.iterable.users().map(\.email) == ["anna@example.com"])
    }

    @Test func refusalsAreRead() async throws {
        let emulator = Self.emulator()
        let body = IterableEventBody(user: Self.ann, name: "e", createdAt: Self.now).encoded()
        func fault(_ token: Secret?) async throws -> TokenFault? {
            let verdict = try await Self.send(.trackEvent, body, token: token, to: emulator)
            if case .tokenRefused(let fault, _) = verdict { return fault }
            return nil
        }
        let token = emulator.iterable.signToken(for: .email("ann@example.com"))
        #expect(try await fault(nil) == .missing)
        #expect(try await fault("a.b") == .formatInvalid)
        #expect(try await fault(Secret(token + "A")) == .signatureInvalid)
        #expect(try await fault(Secret(emulator.iterable.signToken(for: .userID("u")))) == .other)
        let expired = emulator.iterable.signToken(for: .email("ann@example.com"), lifetime: .zero)
        #expect(try await fault(Secret(expired)) == .expired)
        let long = emulator.iterable.signToken(
            for: .email("ann@example.com"),
            lifetime: .seconds(400 * 86_400)
        )
        #expect(try await fault(Secret(long)) == .expirationInvalid)
        #expect(try await fault(Secret(token)) == nil)
        emulator.iterable.invalidateToken(token)
        #expect(try await fault(Secret(token)) == .invalidated)
        emulator.iterable.configure { $0.secret = "rotated" }
        #expect(try await fault(Secret(token)) == .signatureInvalid)
        emulator.faults.inject(.status(401), on: .trackEvent)
        #expect(try await fault(nil) == .expired)
        emulator.iterable.setCriteria(#"{"criteriaSets":[]}"#)
        for (route, body) in Self.bodies(of: Self.ann) where route == .session {
            guard case .conflict = try await Self.send(route, body, token: nil, to: emulator) else {
                Issue.record("no conflict")
                continue
            }
        }
    }
}
