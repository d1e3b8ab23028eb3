// SPDX-License-Identifier: Apache-2.0

/// The stories that a picture shows: one for each thing worth seeing.
struct StoryChoice: Sendable, Hashable {
    /// The reasons to show a story, most important first.
    enum Reason: String, Sendable, Hashable, CaseIterable {
        case purchase = "logs in, then buys"
        case kill = "is killed in a session, which the next launch ends"
        case known = "an anonymous visitor becomes a customer and stays the same user"
        case shared = "two customers on one device"
        case elsewhere = "a customer comes who is known from another installation"

        /// True if a story shows it.
        ///
        /// - Parameters:
        ///   - story: A story.
        ///   - homes: The number of installations on which each customer was current.
        /// - Returns: True if it does.
        func applies(to story: Story, homes: [String: Int]) -> Bool {
            switch self {
            case .purchase:
                guard let login = story.marks.firstIndex(where: { $0.kind == .login }) else { return false }
                return story.marks[login...].contains { $0.kind == .purchase }
            case .kill:
                return story.marks.contains { $0.kind == .kill } && story.visits.contains { $0.ending == .launch }
            case .known: return story.flags.contains { $0.kind == .known && $0.customer != nil }
            case .shared: return story.customers.count > 1
            case .elsewhere:
                return story.flags.contains { flag in
                    flag.kind != .known && flag.customer.map { homes[$0, default: 0] > 1 } ?? false
                }
            }
        }
    }

    let reason: Reason
    let story: Story

    /// Chooses at most one story for each reason, and each story once.
    ///
    /// Of several that show the same, it takes the one that is easiest to read: about twelve marks in at most three
    /// sessions. The same stories give the same choice.
    static func choose(from stories: [Story]) -> [StoryChoice] {
        var homes: [String: Int] = [:]
        for story in stories {
            for customer in story.customers { homes[customer, default: 0] += 1 }
        }
        var chosen: [StoryChoice] = []
        for reason in Reason.allCases {
            let candidates = stories.filter { story in
                !chosen.contains { $0.story.installation == story.installation }
                    && reason.applies(to: story, homes: homes)
            }
            guard let best = candidates.min(by: { Self.rank($0) < Self.rank($1) }) else { continue }
            chosen.append(StoryChoice(reason: reason, story: best))
        }
        return chosen
    }

    private static func rank(_ story: Story) -> (Int, String) {
        (abs(story.marks.count - 12) + 6 * max(0, story.visits.count - 3), story.installation)
    }
}
