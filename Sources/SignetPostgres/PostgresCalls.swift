// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet

/// The calls of a store: each is a wish for the thread that drives the connections, and waits for its answer.
struct PostgresCalls: Sendable {
    private let inbox: CallInbox
    private let limit: Duration

    /// Starts the thread; it connects at the first call.
    ///
    /// - Parameters:
    ///   - url: The address of the database.
    ///   - connections: The number of connections, 1 to 64.
    ///   - limit: The time for one call.
    ///   - connect: The time for one attempt to connect.
    ///   - lookUp: Finds the addresses of hosts.
    /// - Throws: `invalidArgument`; `unreachable` if the system gives no thread.
    init(
        _ url: Secret,
        connections: Int,
        limit: Duration,
        connect: Duration,
        lookUp: @escaping HostLookUp.Function
    ) throws(SharedStoreError) {
        guard (1...64).contains(connections), limit > .zero else {
            throw SharedStoreError(.invalidArgument, "1 to 64 connections, and a limit above zero")
        }
        let parameters = try ConnectionParameters(url)
        let inbox = try CallInbox()
        let limits = ConnectionPoolMachine.Limits(
            connections: connections,
            addresses: parameters.addresses.count,
            connect: connect
        )
        self.inbox = inbox
        self.limit = limit
        try SystemThread.start {
            ConnectionLoop(parameters, limits: limits, inbox: inbox, lookUp: lookUp).run()
            inbox.ended()
        }
    }

    /// Ends the thread; calls that wait throw `unreachable`.
    func close() {
        self.inbox.close()
    }

    /// Ends the thread, and returns when it has closed the connections.
    func closed() async {
        await withCheckedContinuation { self.inbox.close($0) }
    }

    /// The moment at which a call that begins now gives up.
    var deadline: Duration {
        SystemTime.now + self.limit
    }

    /// Carries out a wish, with those of other calls that wait; alone if what they shared has failed, for one of them is the reason.
    func outcome(
        of wish: CallInbox.Wish,
        until deadline: Duration
    ) async throws(SharedStoreError) -> PostgresResult {
        // Asked first: a fast answer would overtake the cancellation.
        guard !Task.isCancelled else { throw SharedStoreError(.cancelled, "the task was cancelled; nothing was sent") }
        var tries = 1
        var share = wish.share
        while true {
            do throws(CallInbox.Failure) {
                return try await self.once(wish, share, until: deadline)
            } catch .failed(let failure, closed: false, _) where failure.isTransient && tries < 8 {
                tries += 1
            } catch .failed(_, closed: false, joined: true) {
                share = nil
            } catch {
                throw error.error
            }
        }
    }

    private func once(
        _ wish: CallInbox.Wish,
        _ share: ConnectionPoolMachine.Share?,
        until deadline: Duration
    ) async throws(CallInbox.Failure) -> PostgresResult {
        let number = self.inbox.number()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = CallInbox.Call(
                    number: number,
                    wish: wish,
                    share: share,
                    deadline: deadline,
                    continuation: continuation
                )
                self.inbox.add(.add(call))
                // The handler may have run before the call was there.
                if Task.isCancelled { self.inbox.add(.cancel(number)) }
            }
        } onCancel: {
            self.inbox.add(.cancel(number))
        }
        return try result.get()
    }
}
#endif
