// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

extension ExplainReport {
    /// The facts; times are milliseconds since 1970, and what is not known is null.
    var json: JSONValue {
        let event = self.event
        return [
            "id": .string(event.id.uuidString), "found": true, "kind": .string(event.kind),
            "name": Self.text(event.name), "time": Self.number(event.milliseconds),
            "sequence": Self.number(event.sequence.map { Int64(clamping: $0) }),
            "installation": self.installationJSON, "user": self.userJSON, "session": self.sessionJSON,
            "consent": [
                "source": .string(event.consent.source.rawValue),
                "answers": .array(
                    event.consent.answers.map { ["purpose": .string($0.purpose), "given": .bool($0.isGiven)] }
                ),
            ],
            "context": [
                "plan": Self.text(event.context.plan), "planVersion": Self.number(event.context.planVersion),
                "environment": Self.text(event.context.environment), "app": Self.text(event.context.application),
                "appVersion": Self.text(event.context.applicationVersion), "device": Self.text(event.context.device),
                "hasAddress": .bool(event.context.hasAddress),
            ],
            "batch": event.batch.map { batch in
                [
                    "id": .string(batch.id.uuidString), "events": Self.number(batch.events),
                    "bytes": Self.number(batch.bytes),
                ]
            } ?? .null,
            "deadLetter": event.deadLetter.map { letter in
                [
                    "id": .string(letter.id.uuidString), "events": Self.number(letter.events),
                    "status": Self.number(letter.status), "time": Self.number(letter.milliseconds),
                    "reason": .string(letter.reason),
                ]
            } ?? .null,
            "pause": event.pause.map { pause in
                [
                    "reason": .string(pause.reason), "failures": Self.number(pause.failures),
                    "begin": Self.number(pause.begin), "seconds": Self.number(pause.length.components.seconds),
                ]
            } ?? .null,
        ]
    }

    private var installationJSON: JSONValue {
        let facts = self.event.installation
        return [
            "id": Self.text(facts.id?.rawValue), "number": Self.number(Int64(facts.number)),
            "deviceApplicationStamp": Self.text(facts.deviceApplicationStamp?.uuidString),
            "created": Self.number(facts.createdAt), "optedOut": .bool(facts.optOut.isCurrent),
            "withdrawn": .bool(self.event.isWithdrawn),
            "launch": facts.launch.map { launch in
                [
                    "count": Self.number(launch.count), "last": Self.number(launch.last),
                    "version": Self.text(launch.version), "isOfEvent": .bool(self.event.isLogged(in: launch)),
                ]
            } ?? .null,
        ]
    }

    private var userJSON: JSONValue {
        let facts = self.event.user
        return [
            "mpid": Self.text(facts.mpid?.description), "reason": .string(facts.reason.rawValue),
            "current": Self.text(facts.current?.description),
            "known": facts.stored.map { .bool($0.isKnown) } ?? .null,
            "firstSeen": Self.number(facts.stored?.firstSeen), "lastSeen": Self.number(facts.stored?.lastSeen),
            "identities": .array(
                (facts.stored?.identities ?? []).map { ["type": .string($0.type), "since": Self.number($0.since)] }
            ),
            "identityChanges": .array(facts.identityChanges.map(Self.moment)),
            "aliases": .array(
                facts.aliases.map { alias in
                    [
                        "id": .string(alias.id.uuidString), "source": .string(alias.source.description),
                        "destination": .string(alias.destination.description),
                        "coversEvent": .bool(self.event.isCovered(by: alias)),
                    ]
                }
            ),
            "servicesBehind": .array(facts.services.map(JSONValue.string)),
        ]
    }

    private var sessionJSON: JSONValue {
        guard let session = self.event.session else { return .null }
        var (state, events, last): (String, Int?, Int64?) = ("past", nil, nil)
        switch session.state {
        case .open(let count, let time): (state, events, last) = ("open", count, time)
        case .ended(let time): (state, last) = ("ended", time)
        case .past: break
        }
        return [
            "id": .string(session.uuid.uuidString), "start": Self.number(session.start), "state": .string(state),
            "events": Self.number(events), "last": Self.number(last),
            "begin": session.begin.map(Self.moment) ?? .null, "end": session.end.map(Self.moment) ?? .null,
        ]
    }

    private static func moment(_ moment: EventTrail.Moment) -> JSONValue {
        ["sequence": Self.number(Int64(clamping: moment.sequence)), "time": Self.number(moment.milliseconds)]
    }

    private static func text(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }

    private static func number(_ number: Int64?) -> JSONValue {
        number.map { .number(JSONNumber($0)) } ?? .null
    }

    private static func number(_ number: Int?) -> JSONValue {
        Self.number(number.map { Int64($0) })
    }
}
#endif
