// SPDX-License-Identifier: Apache-2.0

/// The day of one installation, as facts to draw.
///
/// All times are milliseconds since 1970.
struct Story: Sendable, Hashable {
    /// A session.
    struct Visit: Sendable, Hashable {
        /// How a session ends.
        enum End: Sendable, Hashable {
            /// It is open at the end of the day.
            case open
            /// The app was in the background for longer than the timeout.
            case timeout
            /// The next launch ends a session that a kill left open.
            case launch
            /// The app ended it.
            case app
        }

        let begin: Int64
        /// The last event; for an open session, the begin or the last mark that is known.
        let end: Int64
        let ending: End
    }

    /// An action of the app.
    struct Mark: Sendable, Hashable {
        enum Kind: Sendable, Hashable, CaseIterable {
            case screen, event, purchase, login, logout, modify, kill
        }

        let at: Int64
        let kind: Kind
    }

    /// A change of the current user, as a subscriber saw it.
    struct Flag: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            /// The first user of the installation.
            case first
            /// Another user than before.
            case other
            /// The same user, known from now on.
            case known
        }

        let at: Int64
        let kind: Kind
        /// The customer id; nil for an anonymous user.
        let customer: String?
    }

    let installation: String
    /// In order of time.
    let visits: [Visit]
    /// In order of time.
    let marks: [Mark]
    /// In order of time.
    let flags: [Flag]

    /// The customers who were current, in order, without those that repeat.
    var customers: [String] {
        self.flags.compactMap(\.customer).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
