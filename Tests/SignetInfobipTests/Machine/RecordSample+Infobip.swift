// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport

@testable import SignetInfobip

extension RecordSample {
    static let infobip = [
        RecordSample("infobip-memory", Self.profile),
        RecordSample("infobip-event", StoredInfobipEvent(ordinal: 7, element: Array(#"{"definitionId":"a"}"#.utf8))),
    ]

    /// Each kind of field once, for the tests that change each bit.
    private static var profile: InfobipMemory {
        var memory = InfobipMemoryTests.full
        memory.installation.edits.remove(
            memory.installation.edits.fields.filter { if case .custom = $0 { true } else { false } }
        )
        memory.installation.known.value.customAttributes = [:]
        var left = memory.people.all[0]
        left.edits.remove(left.edits.fields.filter { if case .custom = $0 { true } else { false } })
        left.snapshot = .doubtful(InfobipUser())
        left.own = [.lastName]
        let parked = PersonScope(id: 2, events: InfobipEventQueue([3..<4]))
        memory.people = PersonScopes(
            [left, memory.last],
            attachment: .moving(to: memory.last.id, from: nil),
            parked: [InfobipIdentity(phones: ["12345"]): parked],
            lastNumber: 11
        )
        return memory
    }
}
