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
    private static let requests = IterableRequests(
        device: IterableDevice(deviceID: "D1", platform: "Linux"),
        applicationName: "com.example"
    )

    private static func session() -> IterableRequests.Request {
        Self.requests.session(
            "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11",
            matching: "1",
            UnknownSessions(total: 1, first: Self.now, last: Self.now),
            fields: ["plan": "gold"],
            allowsNotifications: true,
            createdAt: Self.now
        )
    }

    private static func bodies(of user: IterableIdentity) throws -> [IterableRequests.Request] {
        let product = IterableProduct(
            id: "i",
            name: "Boots",
            price: 21.25,
            quantity: 2,
            sku: "s",
            text: "d",
            url: "u",
            imageURL: "i",
            categories: ["c"],
            fields: ["size": 42]
        )
        let items = [JSONValue.object(try product.json())]
        let total = try #require(JSONNumber(42.5))
        return [
            IterableRequests.Request(route: .criteria, body: [], user: nil), Self.session(),
            Self.requests.event("e", of: user, fields: ["a": 1], id: "E", createdAt: Self.now - 7),
            Self.requests.purchase(
                of: user,
                items: items,
                total: total,
                fields: ["c": "d"],
                id: "P",
                createdAt: Self.now - 9
            ),
            Self.requests.cart(of: user, items: items, createdAt: Self.now - 8),
            Self.requests.update(of: user, fields: ["b": 2], mergesNestedObjects: true, createdAt: Self.now),
            Self.requests.consent(of: user, at: Self.now * 1000, isKnown: true, createdAt: Self.now),
            Self.requests.register("0aff", on: "APNS", allowsNotifications: nil, of: user, createdAt: Self.now),
            Self.requests.disable("0aff", of: user, createdAt: Self.now),
        ]
    }

    private static func send(
        _ request: IterableRequests.Request,
        token: Secret?,
        to emulator: Emulator,
        server: IterableServer = .unitedStates
    ) async throws -> IterableVerdict {
        let request = try IterableRequestBuilder(apiKey: "emulated-project", server: server).request(
            for: request.route,
            body: request.body,
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
        for request in try Self.bodies(of: user) {
            #expect(try await Self.send(request, token: token, to: emulator) == .success, "\(request.route)")
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
        for request in [Self.session(), Self.requests.event("e", of: Self.ann, createdAt: Self.now)] {
            #expect(try await Self.send(request, token: token, to: emulator, server: own) == .success)
        }
        let merge = Self.requests.merge(
            "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11",
            into: Self.ann,
            createdAt: Self.now
        )
        #expect(try await Self.send(merge, token: token, to: emulator, server: own) == .success)
        #expect(emulator.iterable.merges().map(\.tokenOwner) == [.email("ann@example.com")])
        let change = Self.requests.changeEmail(of: Self.ann, to: "anna@example.com", createdAt: Self.now)
        #expect(try await Self.send(change, token: token, to: emulator) == .success)
        #expect(emulator.iterable.users().map(\.email) == ["anna@example.com"])
    }

    @Test func refusalsAreRead() async throws {
        let emulator = Self.emulator()
        let event = Self.requests.event("e", of: Self.ann, createdAt: Self.now)
        func fault(_ token: Secret?) async throws -> TokenFailure.Reason? {
            let verdict = try await Self.send(event, token: token, to: emulator)
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
        guard case .conflict = try await Self.send(Self.session(), token: nil, to: emulator) else {
            Issue.record("no conflict")
            return
        }
    }
}
