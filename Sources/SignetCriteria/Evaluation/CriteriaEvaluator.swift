// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A visitor's records so far, evaluated against the criteria.
///
/// Each leaf looks at each record once, when the record arrives; the evaluator keeps only the set of leaves that the
/// record satisfies. The result equals that of evaluating all stored records again (``Criteria/evaluate(_:)``).
///
/// The work of one call is limited (``CriteriaLimits/work``). A leaf that runs out of work is undecided for that
/// record. While that record counts, a criterion with that leaf does not hold; all other criteria are unaffected.
/// ``fault`` has the path.
package struct CriteriaEvaluator: Sendable {
    /// The criteria.
    package let criteria: Criteria
    /// The maximum number of records that count, apart from the user update; the oldest beyond it are dropped.
    package let threshold: Int

    /// The part of a record that the evaluator keeps.
    struct Entry: Sendable {
        let kind: PreparedRecord.Kind
        /// The leaves that the record satisfies.
        let leaves: LeafSet
        /// The leaves that ran out of work on the record; nil for none.
        let undecided: LeafSet?
    }

    /// The work of one call and its faults.
    private struct Effort {
        let meter: WorkMeter
        /// The leaves that ran out of work in this call; they are not evaluated again.
        var undecided: Set<Int> = []
        var fault: CriteriaError?

        init(_ criteria: Criteria) {
            self.meter = WorkMeter(limit: criteria.work)
        }
    }

    /// The counts of the entries by leaf and by type.
    var tally: LeafTally
    private var entries: [Entry] = []
    /// The number of records before the oldest entry.
    private var evicted = 0
    /// The numbers of the last purchase or cart and of the last other record.
    private var lastCommerce = -1
    private var lastOther = -1
    private var user: (record: IterableRecord, entry: Entry)?
    /// The fault of a leaf that is undecided for a record of the last call; nil when all are decided.
    package private(set) var fault: CriteriaError?
    /// The number of steps that the last call took.
    package private(set) var work = 0

    /// Makes an evaluator over the stored records.
    ///
    /// - Parameters:
    ///   - criteria: The criteria.
    ///   - threshold: The maximum number of records that count; at least 1.
    ///   - records: The stored records, oldest first.
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

    /// The number of records that count, apart from the user update.
    package var recordCount: Int {
        self.entries.count
    }

    /// Adds the next record.
    ///
    /// A user update is merged into the previous one. Beyond the threshold the oldest other record is dropped.
    ///
    /// - Returns: The id of the first criterion that holds now, or nil.
    @discardableResult
    package mutating func record(_ record: IterableRecord) -> String? {
        var effort = Effort(self.criteria)
        self.take(record, &effort)
        self.finish(effort)
        return self.matchedID
    }

    /// Appends records of any kind, without regard to the threshold and without merging user updates.
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

    /// The id of the first criterion that holds, or nil; always nil without records.
    package var matchedID: String? {
        guard !self.matchesNothing else { return nil }
        let last = self.last
        return self.criteria.criteria.first { self.holds($0, last) }?.id
    }

    /// True if there are no records.
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
        if entry.kind.hasType {
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
        if case .visible(let type) = prepared.kind {
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
        let entry = Entry(kind: prepared.kind, leaves: leaves, undecided: undecided)
        return (entry, prepared.commerce != nil)
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

    /// The record that the vendor's checker sees last.
    ///
    /// That checker puts purchases and carts before all other records, and the user update after them.
    var last: Entry? {
        if let user = self.user?.entry, user.kind.hasType { return user }
        let number = self.lastOther >= self.evicted ? self.lastOther : self.lastCommerce
        return number >= self.evicted ? self.entries[number - self.evicted] : nil
    }

    func holds(_ criterion: Criterion, _ last: Entry?) -> Bool {
        self.isDecided(criterion) && self.holds(criterion.root, last)
    }

    /// True if each leaf of the criterion is decided for each record that counts.
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

    /// Returns true if a leaf holds.
    ///
    /// Under `.iOS` a leaf directly under `Not` holds only if all records of its type satisfy it, including the last
    /// record of all.
    func holds(leaf index: Int, _ last: Entry?) -> Bool {
        let leaf = self.criteria.leaves[index]
        let count = self.tally.counts[index]
        switch leaf.quota {
        case .atLeast(let minimum):
            return count >= minimum
        case .all(let minimum):
            guard count >= minimum else { return false }
            return count == self.tally.totals[leaf.type] && last?.leaves.contains(index) == true
        }
    }
}
