// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import struct FoundationEssentials.UUID

// The calls and limits of the machine, and the actions that it asks for.
extension ConnectionPoolMachine {
    struct Limits {
        /// The number of connections.
        var connections: Int
        /// The number of addresses of the server that are tried before a pause.
        var addresses = 1
        /// The number of calls that may wait for a connection.
        var waiting = 1_024
        /// The rows of one statement that was joined from several calls, and their bytes.
        var joinedRows = 256
        var joinedBytes = 1 << 20
        /// The time for one attempt to connect.
        var connect = Self.connect
        /// The first pause after attempts that failed; it doubles up to ``longestPause``.
        var shortestPause: Duration = .milliseconds(50)
        var longestPause: Duration = .seconds(1)

        /// The time after which a connection is closed whose statement the server should have cut off.
        var grace: Duration = .seconds(1)
        /// The time between two questions whether the server still works on abandoned statements.
        var inquiry: Duration = .seconds(5)
        /// The time after which the only connection is closed, as no other one can ask.
        var patience: Duration = .seconds(15)

        /// The time for one attempt to connect, by default.
        static let connect = Duration.seconds(3)

        /// The number of connections that commits may have, so that readings go on while commits wait for a standby.
        var commits: Int { max(1, self.connections - 1) }
    }

    struct Call: Hashable {
        let number: UInt64
        /// The moment at which its caller gives up.
        let deadline: Duration
        /// Its part, if it may share a statement with others.
        var share: Share?
        var kind = Kind.quick
    }

    /// The time that the server may need.
    enum Kind: Hashable {
        /// The server's own limits end it.
        case quick
        /// Its commit waits for standbys, and no limit ends that.
        case commit
    }

    /// The part of a call in a statement that several calls share.
    struct Share: Hashable {
        enum Kind {
            case read
            case commit
            case slot
        }

        let kind: Kind
        let keys: [UUID]
        /// About how many bytes it sends.
        let bytes: Int
    }

    enum Refusal: Hashable {
        /// Too many calls wait.
        case busy
        /// The store was closed.
        case closed
        /// There is no connection; the last attempt failed.
        case notConnected
        /// All connections that commits may have wait for the server; nothing was sent.
        case commitsWait
        /// The time was over before the call was sent.
        case timedOutUnsent
        /// The time was over, and the answer has not come.
        case timedOut
        /// The caller has cancelled it.
        case cancelled
    }

    enum Action: Hashable {
        /// Begin to connect to one of the addresses.
        case connect(Int, address: Int)
        /// Send these calls: one, or several of one kind as one statement.
        case send(Int, [UInt64])
        /// Close the socket.
        case close(Int)
        /// Resume the caller.
        case refuse(UInt64, Refusal)
        /// Ask, over the first one, whether the server still works on the statements of the others.
        case inquire(Int, about: [Int])
    }
}

/// A statement while calls are joined to it.
struct Joined {
    let kind: ConnectionPoolMachine.Share.Kind
    var keys: Set<UUID>
    var rows: Int
    var bytes: Int

    init(_ share: ConnectionPoolMachine.Share) {
        (self.kind, self.keys, self.rows, self.bytes) = (share.kind, Set(share.keys), share.keys.count, share.bytes)
    }

    /// Takes one more call, if it fits.
    ///
    /// A statement changes a row once, but two calls may read the same row.
    mutating func take(_ share: ConnectionPoolMachine.Share?, _ limits: ConnectionPoolMachine.Limits) -> Bool {
        guard let share, share.kind == self.kind, self.rows + share.keys.count <= limits.joinedRows,
            self.bytes + share.bytes <= limits.joinedBytes,
            self.kind == .read || self.keys.isDisjoint(with: share.keys)
        else { return false }
        self.keys.formUnion(share.keys)
        self.rows += share.keys.count
        self.bytes += share.bytes
        return true
    }
}
#endif
