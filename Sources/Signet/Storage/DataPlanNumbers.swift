//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Numbers for data plans, in which the tags of events say under which plan they were logged.
///
/// The plan is stamped when an event is logged: a later configuration with another plan does not change it.
struct DataPlanNumbers: Sendable {
    /// The number of the configured plan; zero for none.
    let current: UInt8
    private let plans: [UInt8: DataPlan]

    /// Restores the numbers of a directory, and numbers the configured plan if it is new.
    ///
    /// - Throws: `invalidConfiguration` for the 256th plan of a directory; what the disk says.
    init(store: StateStore, current plan: DataPlan?) throws(SignetError) {
        var plans: [UInt8: DataPlan] = [:]
        // Numbers are given one after the other: the first that is missing ends the search.
        for number in 1...UInt8.max {
            guard let value = try store.value(for: StateKey.plan(number)) else { break }
            plans[number] = Self.decode(value)
        }
        guard let plan else {
            (self.current, self.plans) = (0, plans)
            return
        }
        if let known = plans.first(where: { $0.value == plan })?.key {
            self.current = known
        } else {
            guard let free = (1...UInt8.max).first(where: { plans[$0] == nil }) else {
                throw SignetError(
                    .invalidConfiguration,
                    "The directory has seen 255 data plans; use a new directory for another one."
                )
            }
            try store.put(Self.encode(plan), for: StateKey.plan(free))
            plans[free] = plan
            self.current = free
        }
        self.plans = plans
    }

    /// The plan of a number; nil for none.
    func plan(_ number: UInt8) -> DataPlan? {
        self.plans[number]
    }

    private static func encode(_ plan: DataPlan) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 16 + plan.id.utf8.count)
        writer.write(plan.id)
        writer.write(Int64(plan.version ?? .min))
        return writer.bytes
    }

    private static func decode(_ bytes: [UInt8]) -> DataPlan? {
        var reader = ByteReader(bytes)
        guard let id = reader.readText(), let version = reader.read(Int64.self) else { return nil }
        return DataPlan(id: id, version: version == .min ? nil : Int(version))
    }
}
