// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// The table of errors (facts 2.9; the checklist of facts 9, row 52): what each reason is for whoever called, and for what
/// was to be saved.
@Suite struct InfobipErrorTableTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    /// What becomes of a request that is refused so.
    private enum Reaction {
        /// The caller hears of it; it is not sent again.
        case refused
        /// It is not of the data: they are kept.
        case unauthorized
        /// The registration is made good, and it is sent again.
        case recovered
    }

    private static let rows: [(code: String, reaction: Reaction)] = [
        ("USER_MERGE_INTERRUPTED", .refused), ("AMBIGUOUS_PERSONALIZE_CANDIDATES", .refused),
        ("PERSONALIZATION_IMPOSSIBLE", .refused), ("USER_IDENTITY_INVALID", .refused), ("PHONE_INVALID", .refused),
        ("EMAIL_INVALID", .refused), ("USER_DATA_RESTRICTED", .refused), ("REQUEST_FORMAT_INVALID", .refused),
        ("NO_REGISTRATION", .recovered), ("APP_CODE_MISSING", .unauthorized), ("1", .unauthorized),
        // Not documented, or not for these requests.
        ("0", .refused), ("7", .refused), ("X", .refused),
    ]

    /// What became of one call.
    private struct Outcome {
        /// Nil when it threw.
        var result: InfobipSaveResult?
        var error: SignetError?
    }

    /// Lets an installation of somebody known meet a refusal once.
    private static func meet(
        _ code: String,
        on route: EmulatorRoute,
        _ call: (InfobipProfile) async throws -> InfobipSaveResult,
        check: (InfobipWorld, InfobipProfile, Outcome) async throws -> Void
    ) async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            try await profile.save { $0.lastName = .set("before") }
            let no = FaultInjector.Fault.refused(status: 400, code: code, message: "text of \(code)")
            world.emulator.faults.inject(no, on: route)
            var outcome = Outcome()
            do {
                outcome.result = try await call(profile)
            } catch let error as SignetError {
                outcome.error = error
            }
            try await profile.waitUntilIdle()
            #expect(world.emulator.faults.remaining == 0, "\(code)")
            try await check(world, profile, outcome)
            // Whatever it was, nothing waits for ever.
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(!profile.hasPendingChanges, "\(code)")
        }
    }

    private static func expect(
        _ outcome: Outcome,
        _ reaction: Reaction,
        _ code: String,
        mayBePending: Bool = false
    ) {
        switch reaction {
        case .refused: #expect(outcome.error?.code == .rejected, "\(code)")
        case .unauthorized where mayBePending:
            #expect(outcome.error.map(\.code) ?? .unauthorized == .unauthorized, "\(code)")
            #expect(outcome.result != .done, "\(code)")
        case .unauthorized: #expect(outcome.error?.code == .unauthorized, "\(code)")
        case .recovered: #expect(outcome.result == .done, "\(code)")
        }
        guard let error = outcome.error else { return }
        #expect(error.errors == [PlatformError(code: code, message: "text of \(code)")])
        #expect(error.httpStatus == 400)
    }

    @Test func row52TheTableHasEveryReason() {
        #expect(Set(InfobipRefusal.Reason.allCases.map(\.rawValue)).isSubset(of: Self.rows.map(\.code)))
    }

    @Test func row52EachReasonHasItsReactionOnASaveOfThePerson() async throws {
        for (code, reaction) in Self.rows {
            try await Self.meet(code, on: .updatePerson) {
                try await $0.save { $0.firstName = .set("A") }
            } check: { world, profile, outcome in
                Self.expect(outcome, reaction, code, mayBePending: true)
                let name = world.infobip.person(externalUserID: "ann")?.firstName
                switch reaction {
                case .refused:
                    // What can never be taken is not sent for ever.
                    #expect(!profile.hasPendingChanges, "\(code)")
                    #expect((profile.user.firstName, name) == (nil, nil), "\(code)")
                case .unauthorized:
                    #expect(profile.hasPendingChanges, "\(code)")
                    #expect((profile.user.firstName, name) == ("A", nil), "\(code)")
                    try await profile.retry()
                    try await profile.waitUntilIdle()
                    #expect(world.infobip.person(externalUserID: "ann")?.firstName == "A", "\(code)")
                case .recovered:
                    #expect((profile.user.firstName, name) == ("A", "A"), "\(code)")
                }
                #expect(profile.user.externalUserID == "ann", "\(code)")
                #expect(profile.user.lastName == "before", "\(code)")
            }
        }
    }

    @Test func row52EachReasonHasItsReactionOnASaveOfTheInstallation() async throws {
        for (code, reaction) in Self.rows {
            try await Self.meet(code, on: .updateInstallation) {
                try await $0.saveOwn { $0.applicationUserID = .set("u") }
            } check: { world, profile, outcome in
                Self.expect(outcome, reaction, code, mayBePending: true)
                let id = try #require(profile.installation.pushRegistrationID)
                let known = world.infobip.installation(id)?.applicationUserID
                let own = profile.installation.applicationUserID
                switch reaction {
                case .refused:
                    #expect((own, known) == (nil, nil), "\(code)")
                    #expect(!profile.hasPendingChanges, "\(code)")
                case .unauthorized:
                    #expect((own, known) == ("u", nil), "\(code)")
                    #expect(profile.hasPendingChanges, "\(code)")
                case .recovered: #expect((own, known) == ("u", "u"), "\(code)")
                }
                #expect(profile.user.externalUserID == "ann", "\(code)")
            }
        }
    }

    @Test func row52EachReasonHasItsReactionOnPersonalize() async throws {
        var attributes = InfobipAttributes()
        attributes.firstName = "A"
        for (code, reaction) in Self.rows {
            try await Self.meet(code, on: .personalize) {
                let ann = InfobipIdentity(phones: ["385910000000"], externalUserID: "ann")
                try await $0.personalize(ann, attributes: attributes)
                return .done
            } check: { world, profile, outcome in
                Self.expect(outcome, reaction, code)
                guard reaction != .recovered else {
                    #expect((profile.user.phones, profile.user.firstName) == (["385910000000"], "A"))
                    return
                }
                // Everything is as it was, and nothing of it goes with what is saved next.
                #expect(profile.user.phones.isEmpty && profile.user.firstName == nil, "\(code)")
                #expect(profile.user.externalUserID == "ann", "\(code)")
                // Who is not let in is not refused: it stays wanted.
                #expect(profile.hasPendingChanges == (reaction == .unauthorized), "\(code)")
                guard reaction == .refused else { return }
                try await profile.save { $0.middleName = .set("M") }
                #expect(world.lastBody(on: .updatePerson) == #"{"middleName":"M"}"#, "\(code)")
            }
        }
    }

    @Test func row52EachReasonHasItsReactionOnAFetch() async throws {
        for (code, reaction) in Self.rows {
            try await Self.meet(code, on: .fetchPerson) {
                try await $0.fetchUser()
                return .done
            } check: { world, profile, outcome in
                Self.expect(outcome, reaction, code)
                #expect(profile.user.externalUserID == "ann", "\(code)")
                #expect(profile.user.lastName == "before", "\(code)")
                let isRecovered = reaction == .recovered
                #expect(world.infobip.requests(on: .createInstallation).count == (isRecovered ? 2 : 1), "\(code)")
                #expect(world.infobip.requests(on: .personalize).count == (isRecovered ? 2 : 1), "\(code)")
            }
        }
    }
}
