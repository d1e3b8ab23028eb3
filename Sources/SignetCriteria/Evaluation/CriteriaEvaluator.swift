//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// What a visitor did so far, held against the criteria.
///
/// Each record is prepared and looked at by each leaf once, when it comes; what stays of it is which leaves it satisfied.
/// The answer is the same as that of looking at all stored records anew (``Criteria/evaluate(_:)``).
///
/// What one call takes is limited (``CriteriaLimits/work``). A leaf for which there is no work left is undecided for that
/// record, and as long as the record counts, a criterion with that leaf does not hold, whatever else it says; all others do
/// as if it were not there. ``fault`` says where.
package struct CriteriaEvaluator: Sendable {
    /// The criteria.
    package let criteria: Criteria
    /// How many records count, user updates apart: the oldest beyond that count no longer.
    package let threshold: Int

    /// What stays of a record.
    struct Entry: Sendable {
        /// Of which type it is; nil for one that no leaf can name.
        let type: ByteText?
        /// Whether leaves pass it over.
        let isHidden: Bool
        /// The leaves that it satisfies.
        let leaves: LeafSet
        /// The leaves that could not look at it to the end; nil for none.
        let undecided: LeafSet?
    }

    /// The work of one call, and what became of it.
    private struct Effort {
        let meter: WorkMeter
        /// The leaves that have found no end in this call: they are not asked again.
        var undecided: Set<Int> = []
        /// The first of them.
        var fault: CriteriaError?

        init(_ criteria: Criteria) {
            self.meter = WorkMeter(limit: criteria.work)
        }
    }

    /// What is seen, counted by leaf and by type.
    var tally: LeafTally
    private var entries: [Entry] = []
    /// How many records came before the oldest entry.
    private var evicted = 0
    /// The number of the last purchase or cart, and that of the last other record.
    private var lastCommerce = -1
    private var lastOther = -1
    private var user: (record: IterableRecord, entry: Entry)?
    /// Why a leaf is undecided for a record that came with the last call; nil when all are decided.
    package private(set) var fault: CriteriaError?
    /// How many steps the last call took.
    package private(set) var work = 0

    /// Begins with what is stored already.
    ///
    /// - Parameters:
    ///   - criteria: The criteria.
    ///   - threshold: How many records count; at least 1.
    ///   - records: What is stored, oldest first.
    package init(_ criteria: Criteria, threshold: Int = 100, records: [IterableRecord] = []) {
        self.criteria = criteria
        self.threshold = max(1, threshold)
        self.tally = LeafTally(leaves: criteria.leaves.count)
        var effort = Effort(criteria)
        for record in records {
            self.take(record, &effort)
        }
        self.finish(effort)
    }

    /// How many records count, the user update apart.
    package var recordCount: Int {
        self.entries.count
    }

    /// Takes the next record: a user update is merged into the one before, of others the oldest goes if there are too many.
    ///
    /// - Returns: The id of the first criterion that holds now, or nil.
    @discardableResult
    package mutating func record(_ record: IterableRecord) -> String? {
        var effort = Effort(self.criteria)
        self.take(record, &effort)
        self.finish(effort)
        return self.matchedID
    }

    /// Takes records of any kind as the next ones, whatever the threshold is, and without merging user updates.
    mutating func append(_ records: [IterableRecord]) {
        var effort = Effort(self.criteria)
        for record in records {
            self.append(record, &effort)
        }
        self.finish(effort)
    }

    private mutating func finish(_ effort: Effort) {
        self.fault = effort.fault
        self.work = effort.meter.spent
    }

    /// Forgets all records.
    package mutating func removeAll() {
        self = CriteriaEvaluator(self.criteria, threshold: self.threshold)
    }

    /// The id of the first criterion that holds, or nil; without any record none does.
    package var matchedID: String? {
        guard !self.matchesNothing else { return nil }
        let last = self.last
        return self.criteria.criteria.first { self.holds($0, last) }?.id
    }

    /// Whether there is nothing to look at.
    var matchesNothing: Bool {
        self.entries.isEmpty && self.user == nil
    }

    private mutating func take(_ record: IterableRecord, _ effort: inout Effort) {
        guard record.kind == .userUpdate else {
            self.append(record, &effort)
            if self.entries.count > self.threshold { self.evict() }
            return
        }
        if let entry = self.user?.entry { self.tally.remove(entry) }
        let merged = self.user?.record.merging(record) ?? record
        let (entry, _) = self.entry(of: merged, &effort)
        self.user = (merged, entry)
        self.tally.add(entry)
    }

    private mutating func append(_ record: IterableRecord, _ effort: inout Effort) {
        let (entry, isCommerce) = self.entry(of: record, &effort)
        let number = self.evicted + self.entries.count
        if entry.type != nil {
            if isCommerce { self.lastCommerce = number } else { self.lastOther = number }
        }
        self.entries.append(entry)
        self.tally.add(entry)
    }

    private mutating func evict() {
        self.tally.remove(self.entries.removeFirst())
        self.evicted += 1
    }

    private func entry(of record: IterableRecord, _ effort: inout Effort) -> (Entry, isCommerce: Bool) {
        let prepared = PreparedRecord(record, dialect: self.criteria.dialect)
        var leaves = LeafSet(capacity: self.criteria.leaves.count)
        var undecided: LeafSet?
        if let type = prepared.type, !prepared.isHidden {
            let matcher = LeafMatcher(dialect: self.criteria.dialect, meter: effort.meter)
            for leaf in self.criteria.leavesOfType[type] ?? [] {
                do throws(WorkLimitReached) {
                    if effort.undecided.contains(leaf) { throw WorkLimitReached() }
                    effort.meter.begin()
                    if try matcher.matches(prepared, self.criteria.leaves[leaf]) { leaves.insert(leaf) }
                } catch {
                    effort.undecided.insert(leaf)
                    effort.fault = effort.fault ?? self.fault(of: leaf, effort.meter)
                    undecided = undecided ?? LeafSet(capacity: self.criteria.leaves.count)
                    undecided?.insert(leaf)
                }
            }
        }
        let entry = Entry(type: prepared.type, isHidden: prepared.isHidden, leaves: leaves, undecided: undecided)
        return (entry, prepared.isCommerce)
    }

    private func fault(of leaf: Int, _ meter: WorkMeter) -> CriteriaError {
        let record = "record \(self.evicted + self.entries.count)"
        return CriteriaError(
            .limitExceeded,
            at: self.criteria.leaves[leaf].path,
            meter.isSpent
                ? "the evaluation takes more than \(self.criteria.work) steps of work, at \(record)"
                : "more than \(meter.share) steps of work for \(record) alone"
        )
    }

    /// The record that the vendor's checker sees last: purchases and carts stand before all others, the user update behind.
    var last: Entry? {
        if let user = self.user?.entry, user.type != nil { return user }
        let number = self.lastOther >= self.evicted ? self.lastOther : self.lastCommerce
        return number >= self.evicted ? self.entries[number - self.evicted] : nil
    }

    func holds(_ criterion: Criterion, _ last: Entry?) -> Bool {
        self.isDecided(criterion) && self.holds(criterion.root, last)
    }

    /// Whether each of its leaves has looked at each record that counts.
    private func isDecided(_ criterion: Criterion) -> Bool {
        self.tally.undecided.isEmpty || !criterion.leaves.contains { self.tally.undecided[$0] != nil }
    }

    private func holds(_ node: CriteriaNode, _ last: Entry?) -> Bool {
        switch node {
        case .and(let nodes): nodes.allSatisfy { self.holds($0, last) }
        case .or(let nodes): nodes.contains { self.holds($0, last) }
        case .not(let nodes): !nodes.contains { self.holds($0, last) }
        case .leaf(let index): self.holds(leaf: index, last)
        case .never: false
        }
    }

    /// Under `.iOS` a leaf directly under `Not` holds only if all records of its type satisfy it, the last of all among them.
    func holds(leaf index: Int, _ last: Entry?) -> Bool {
        let leaf = self.criteria.leaves[index]
        let count = self.tally.counts[index]
        guard count >= leaf.minimum else { return false }
        guard leaf.isMarked else { return true }
        return count == self.tally.totals[leaf.type] && last?.leaves.contains(index) == true
    }
}
