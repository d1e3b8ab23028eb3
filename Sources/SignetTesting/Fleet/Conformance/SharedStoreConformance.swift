// SPDX-License-Identifier: Apache-2.0

public import Signet

/// The rules of a `SharedStore`, as cases that each implementation runs.
///
/// Give ``cases`` to one test as its arguments, and run each with the store and the tools.
///
/// Each case uses random keys, users and replicas of its own, so that it can run in a database with other rows. It leaves its rows
/// there. The cases about claims take due rows of others, and need a time without other claims: run the cases one after another.
public struct SharedStoreConformance: Sendable {
    /// What a case needs beside the store.
    public struct Tools: Sendable {
        /// The hash of the key of the workspace to which the database is bound.
        public var workspace: [UInt8]
        /// Makes another store on the same database, as another replica has it; the case closes it.
        public var makeStore: @Sendable () async throws -> any SharedStore
        /// Returns when the database's clock has moved on by a time of some milliseconds.
        public var passTime: @Sendable (Duration) async throws -> Void
        /// Makes the database look as if some days had passed: moves its clock, or its dates back; the other way if they are negative.
        ///
        /// Nil: the database has no such tool, and ``SharedStoreConformance/agingCases`` cannot run.
        public var passDays: (@Sendable (Int) async throws -> Void)?

        /// Makes tools.
        public init(
            workspace: [UInt8],
            makeStore: @escaping @Sendable () async throws -> any SharedStore,
            passTime: @escaping @Sendable (Duration) async throws -> Void,
            passDays: (@Sendable (Int) async throws -> Void)? = nil
        ) {
            self.workspace = workspace
            self.makeStore = makeStore
            self.passTime = passTime
            self.passDays = passDays
        }
    }

    /// One rule, or a few that belong together.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule, as a sentence; no two cases have the same.
        public let name: String
        private let body: @Sendable (Bench) async throws -> Void

        /// The name.
        public var description: String { self.name }

        init(_ name: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
            (self.name, self.body) = (name, body)
        }

        /// Runs the case.
        ///
        /// - Parameters:
        ///   - store: A store that has been prepared with the workspace of the tools.
        ///   - tools: What the case needs beside it.
        /// - Throws: The rule that the store breaks.
        public func run(_ store: any SharedStore, _ tools: Tools) async throws(Failure) {
            do {
                try await self.body(Bench(name: self.name, store: store, tools: tools))
            } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(name: self.name, rule: "the call succeeds", expected: "an answer", found: "\(error)")
            }
        }
    }

    /// A rule that a store breaks.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name of the case.
        public let name: String
        /// The rule.
        public let rule: String
        /// The expected value.
        public let expected: String
        /// The value that was found.
        public let found: String

        init(name: String, rule: String, expected: String, found: String) {
            (self.name, self.rule) = (name, rule)
            (self.expected, self.found) = (Self.short(expected), Self.short(found))
        }

        /// The case, the rule and the values.
        public var description: String {
            """
            \(self.name)
              rule:     \(self.rule)
              expected: \(self.expected)
              found:    \(self.found)
            """
        }

        private static func short(_ text: String) -> String {
            text.count > 2000 ? text.prefix(2000) + "…" : text
        }
    }

    /// The subjects, in the order of their cases.
    private static var subjects: [any ConformanceSubject.Type] {
        [
            RowConformance.self, WholenessConformance.self, RaceConformance.self, ValueConformance.self,
            LimitConformance.self, SessionConformance.self, FlushConformance.self, SlotConformance.self,
            SlotCommitConformance.self, ClaimConformance.self, ReplicaConformance.self, ErasureConformance.self,
            MentionConformance.self, ConsentConformance.self, RemovalConformance.self, CallConformance.self,
        ]
    }

    /// The cases that each store runs.
    public static let cases: [Case] = subjects.flatMap { $0.cases }

    /// The cases for which the tools can pass days; each needs the database for itself.
    public static let agingCases: [Case] = AgingConformance.cases + ConsentConformance.agingCases
}

/// The cases about one subject.
protocol ConformanceSubject {
    typealias Bench = SharedStoreConformance.Bench
    typealias Case = SharedStoreConformance.Case
    typealias Failure = SharedStoreConformance.Failure

    static var cases: [Case] { get }
}
