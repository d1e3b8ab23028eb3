// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetWire

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// A record of each kind in the state log.
extension RecordSample {
    private static let mpid = IdentityFixture.mpid(-6_504_934_091_054_997_508)
    private static let now = IdentityFixture.now

    private static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
    }

    static let all: [RecordSample] = [
        RecordSample("number", StoredNumber(1024)),
        RecordSample("identity", IdentityStateTests.full),
        RecordSample("identity-new", IdentityFixture.empty),
        RecordSample("identity-erased", Self.erased),
        RecordSample("session", Self.session),
        RecordSample("launch", Self.launch),
        RecordSample("batch", Self.batch(SequenceList([7, 8, 500]), .head(Array(#"{"events":["#.utf8)))),
        RecordSample("batch-whole", Self.batch(SequenceList(), .whole(Array(#"{"events":[{}]}"#.utf8)))),
        RecordSample("dead-letter", Self.deadLetter),
        RecordSample("alias", Self.alias),
        RecordSample("opt-out", DueOptOut(isOptedOut: true, milliseconds: Self.now, messageID: Self.uuid(1))),
        RecordSample("breadcrumbs", Self.breadcrumbs),
        RecordSample("departed-consents", Self.departed),
        RecordSample("user-consent", Self.consent),
        RecordSample("outbox", Self.outbox),
        RecordSample("context", Self.context),
        RecordSample("tombstone", Self.tombstone),
    ]

    private static var erased: IdentityState {
        var state = IdentityFixture.state(of: 5)
        _ = state.forget(IdentityFixture.mpid(5), upTo: 77, now: Self.now + 9)
        state.attribution = Attribution(serviceProvider: "s", publisher: "p", campaign: "c")
        state.number = .max
        return state
    }

    private static var session: SessionRecord {
        let session = Session(uuid: Self.uuid(1), startTime: Date(milliseconds: Self.now))
        let totals = SessionTotals(
            session: session,
            context: .max,
            lastMilliseconds: Self.now + 9753,
            length: .milliseconds(9753),
            background: .milliseconds(7),
            backgroundFrom: .milliseconds(9000),
            interruptions: 3,
            events: 12,
            mpids: [Self.mpid, IdentityFixture.mpid(1), Self.mpid],
            attributes: ["a": "x\u{1F600}", "b": 2.5, "c": true]
        )
        let previous = PreviousSession(uuid: Self.uuid(2), start: 1_600_000_000_000, length: 61_000)
        return SessionRecord(folded: .max, open: totals, isBegun: true, previous: previous)
    }

    private static var launch: LaunchRecord {
        var record = LaunchRecord(firstLaunch: Self.now, lastLaunch: Self.now + 5)
        (record.version, record.build, record.upgrade) = ("2.1", "", Self.now + 3)
        (record.launches, record.launchesSinceUpgrade, record.isClosedInOrder) = (300, 2, true)
        return record
    }

    private static func batch(_ sequences: SequenceList, _ content: BatchRecord.Content) -> BatchRecord {
        BatchRecord(
            id: Self.uuid(3),
            installation: 7,
            mpid: Self.mpid,
            sequences: sequences,
            events: 3,
            size: 12_345,
            content: content,
            facts: NumberedFacts(
                changes: ["tier": 1 << 40],
                consent: 4,
                version: UserConsent.Version(number: Self.now, hash: .max)
            )
        )
        .refused(UnexplainedRefusals(hours: 3, since: Self.now))
    }

    private static var deadLetter: DeadLetterRecord {
        DeadLetterRecord(
            installation: 7,
            mpid: Self.mpid,
            events: 2,
            first: 1 << 33,
            status: 400,
            milliseconds: Self.now,
            reason: "No.",
            facts: NumberedFacts(changes: ["tier": 1 << 40], consent: 4),
            hash: .max,
            body: Array("{}".utf8)
        )
    }

    private static var alias: AliasRecord {
        AliasRecord(
            id: Self.uuid(4),
            installation: "web",
            deviceApplicationStamp: IdentityFixture.stamp,
            source: Self.mpid,
            destination: IdentityFixture.mpid(.max),
            start: Self.now - 1,
            end: Self.now,
            lastEvent: 1 << 40
        )
        .refused(UnexplainedRefusals(hours: 3, since: Self.now))
    }

    private static var breadcrumbs: BreadcrumbTrail {
        var trail = BreadcrumbTrail(of: Self.mpid)
        trail.leave("first", at: Self.now)
        trail.leave("second", ["z": 1, "a": ["x", .null]], at: Self.now + 1)
        return trail
    }

    private static var departed: DepartedConsents {
        var departed = DepartedConsents()
        departed.add(Self.mpid, ConsentState(gdpr: ["ads": Consent(true)]), lastEvent: 9)
        return departed
    }

    private static var consent: UserConsent {
        let state = ConsentState(gdpr: ["ads": Consent(false, timestamp: Date(milliseconds: Self.now))])
        var consent = UserConsent(state, of: Self.mpid, at: Self.now)
        _ = consent.accept(UserConsent.Version(number: Self.now, hash: state.hash), at: Self.now + 5)
        return consent
    }

    private static let iterable = IdentitySyncOutcome.Service(name: "iterable")

    private static var outbox: Outbox {
        var outbox = Outbox()
        let services: Set<IdentitySyncOutcome.Service> = [Self.iterable, IdentitySyncOutcome.Service(name: "infobip")]
        let call = OutboxEntry.Call.identify(email: "a@example.com", customerID: "c-1")
        _ = outbox.add(OutboxEntry(id: Self.uuid(5), mpid: Self.mpid, call: call, services: services))
        _ = outbox.add(OutboxEntry(id: Self.uuid(6), mpid: nil, call: .leave, services: [Self.iterable]))
        return outbox
    }

    private static var context: BatchContext {
        var device = DeviceInformation()
        (device.manufacturer, device.model, device.systemVersion) = ("M", "m", "1")
        (device.processorArchitecture, device.localeLanguage, device.localeCountry) = ("x86_64", "de", "DE")
        (device.timeZoneOffset, device.userAgent) = (-2, "UA")
        (device.screenWidth, device.screenHeight) = (800, 600)
        var context = BatchContext(
            plan: DataPlan(id: "p", version: 3),
            environment: .development,
            application: ApplicationInformation(name: "n", version: "1", build: "2", package: "c.e", system: .desktop),
            device: device
        )
        context.ip = IPAddress("192.0.2.1")
        return context
    }

    private static var tombstone: Tombstone {
        var tombstone = Tombstone(of: Self.mpid)
        tombstone.reach = .max
        return tombstone
    }
}
