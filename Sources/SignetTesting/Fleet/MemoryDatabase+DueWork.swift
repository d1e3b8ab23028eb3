// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetModel

extension MemoryDatabase {
    /// Finds the work that replicas have to do without a call of the app.
    ///
    /// - Parameters:
    ///   - milliseconds: The clock of the database.
    ///   - sessionTimeout: The time after its last event in which a session ends.
    /// - Returns: The work.
    package func dueWork(at milliseconds: Int64, sessionTimeout: Duration = .seconds(1800)) -> DueWorkReport {
        var report = DueWorkReport()
        for row in self.rows.values.map(\.installation).sorted(by: { $0.key < $1.key }) {
            if let session = row.session, session.last <= milliseconds - sessionTimeout.milliseconds {
                report.entries.append(.init(.sessionEnd, of: row.id, since: session.last))
            }
            if let facts = DueWorkReport.Entry(factsIn: row) { report.entries.append(facts) }
            if !row.outbox.isEmpty { report.entries.append(.init(.outbox, of: row.id)) }
            if let look = row.look, look <= milliseconds {
                report.entries.append(.init(.mark, of: row.id, since: look))
            }
        }
        let live = self.replicas.filter { $0.value.beat != nil }.keys
        for erasure in self.erasures {
            let missing = live.count { !erasure.acknowledgements.contains($0) }
            // Nobody acknowledges it before the rows are done; without a live replica, the next one does both.
            guard missing > 0 || !erasure.erasure.areRowsDone else { continue }
            report.entries.append(.init(.erasure, of: nil, count: missing, since: erasure.erasure.milliseconds))
        }
        return report
    }
}
