// SPDX-License-Identifier: Apache-2.0

import Signet
public import SignetEmulator
public import SignetModel

// One line for a test. Each call delivers everything that was logged before it, and then reads the platform; nothing
// waits for real time. The limit is measured by `clock`: it passes only as the test moves the clock. Without a fault that
// delays or holds a request, the platform answers at once.
extension EmulatedSignet {
    /// Delivers, and returns the events of a user.
    ///
    /// ```swift
    /// try await withEmulatedSignet { signet in
    ///     let visitor = try await signet.runtime.open("cookie-17", identify: .none)
    ///     let user = try await visitor.login([.customerID: "c-17"]).user
    ///     try visitor.log(.custom("cart"))
    ///     #expect(await signet.events(of: user).names == ["cart"])
    /// }
    /// ```
    ///
    /// `#expect` prints both sides only if nothing in it is awaited. To have a failure print all that arrived, await
    /// first, or use ``expectEvents(_:of:within:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - user: The user: a `User`, or another value whose id is an MPID.
    ///   - limit: The time limit of the delivery, by ``clock``.
    /// - Returns: The events in the order of arrival.
    public func events(
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60)
    ) async -> Delivered<EmulatedEvent> {
        let failure = await self.deliver(within: limit)
        return Delivered(self.emulator.events(of: user.id), failure)
    }

    /// Delivers, and returns the sessions of a user that their events show.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - limit: The time limit of the delivery, by ``clock``.
    /// - Returns: The sessions in the order in which their first events arrived.
    public func sessions(
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60)
    ) async -> Delivered<DeliveredSession> {
        let failure = await self.deliver(within: limit)
        var order: [String] = []
        var events: [String: [EmulatedEvent]] = [:]
        for event in self.emulator.events(of: user.id) {
            guard let uuid = event.sessionUUID else { continue }
            if events[uuid] == nil { order.append(uuid) }
            events[uuid, default: []].append(event)
        }
        return Delivered(order.map { DeliveredSession(uuid: $0, events: events[$0] ?? []) }, failure)
    }

    /// Delivers, and returns the batches that brought the events of a user.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - limit: The time limit of the delivery, by ``clock``.
    /// - Returns: The batches in the order of arrival, each once.
    public func batches(
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60)
    ) async -> Delivered<EmulatedBatch> {
        let failure = await self.deliver(within: limit)
        return Delivered(self.emulator.batches(of: user.id), failure)
    }

    /// Waits until no request is in flight, and returns the identities that the platform has of a user.
    ///
    /// - Parameter user: The user.
    /// - Returns: The values by type; empty for a user whom the platform does not know.
    public func identities(of user: some Identifiable<MPID>) async -> [IdentityType: Set<String>] {
        await self.transport.idle()
        return self.emulator.user(user.id)?.identities ?? [:]
    }

    /// Delivers, and checks the names of the events of a user.
    ///
    /// - Parameters:
    ///   - names: The names of custom events and screens, in the order of arrival.
    ///   - user: The user.
    ///   - limit: The time limit of the delivery, by ``clock``.
    ///   - fileID: The file of the call, for the error.
    ///   - line: The line of the call, for the error.
    /// - Throws: ``UnmetExpectation``, which prints the place of the call and all events that arrived.
    public func expectEvents(
        _ names: [String],
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60),
        fileID: String = #fileID,
        line: Int = #line
    ) async throws(UnmetExpectation) {
        let events = await self.events(of: user, within: limit)
        guard events.names.names != names else { return }
        throw UnmetExpectation("the events \(names)", found: "\(events)", at: "\(fileID):\(line)")
    }

    /// Delivers, and checks the number of sessions of a user.
    ///
    /// - Parameters:
    ///   - count: The number of sessions.
    ///   - user: The user.
    ///   - limit: The time limit of the delivery, by ``clock``.
    ///   - fileID: The file of the call, for the error.
    ///   - line: The line of the call, for the error.
    /// - Throws: ``UnmetExpectation``, which prints the place of the call and all sessions with their events.
    public func expectSessions(
        _ count: Int,
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60),
        fileID: String = #fileID,
        line: Int = #line
    ) async throws(UnmetExpectation) {
        let sessions = await self.sessions(of: user, within: limit)
        guard sessions.count != count else { return }
        throw UnmetExpectation("\(count) sessions", found: "\(sessions)", at: "\(fileID):\(line)")
    }

    /// Delivers, and checks the number of batches that brought the events of a user.
    ///
    /// - Parameters:
    ///   - count: The number of batches.
    ///   - user: The user.
    ///   - limit: The time limit of the delivery, by ``clock``.
    ///   - fileID: The file of the call, for the error.
    ///   - line: The line of the call, for the error.
    /// - Throws: ``UnmetExpectation``, which prints the place of the call and all batches.
    public func expectBatches(
        _ count: Int,
        of user: some Identifiable<MPID>,
        within limit: Duration = .seconds(60),
        fileID: String = #fileID,
        line: Int = #line
    ) async throws(UnmetExpectation) {
        let batches = await self.batches(of: user, within: limit)
        guard batches.count != count else { return }
        throw UnmetExpectation("\(count) batches", found: "\(batches)", at: "\(fileID):\(line)")
    }

    /// Waits until no request is in flight, and checks identities of a user; others may be there.
    ///
    /// - Parameters:
    ///   - identities: The values by type; nil for a type that the user must not have.
    ///   - user: The user.
    ///   - fileID: The file of the call, for the error.
    ///   - line: The line of the call, for the error.
    /// - Throws: ``UnmetExpectation``, which prints the place of the call and all identities of the user.
    public func expectIdentities(
        _ identities: [IdentityType: String?],
        of user: some Identifiable<MPID>,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws(UnmetExpectation) {
        let known = await self.identities(of: user)
        let isMet = identities.allSatisfy { type, value in (known[type] ?? []) == Set([value].compactMap(\.self)) }
        guard !isMet else { return }
        let expected = identities.map { type, value in "\(type.wireName): \(value ?? "none")" }.sorted()
        let there = known.map { type, values in "\(type.wireName): \(values.sorted().joined(separator: " and "))" }
            .sorted()
        let found = "user \(user.id) has \(there)"
        throw UnmetExpectation("the identities \(expected)", found: found, at: "\(fileID):\(line)")
    }

    /// Waits until the platform has answered for everything that was logged before the call.
    private func deliver(within limit: Duration) async -> SignetError? {
        do throws(SignetError) {
            try await self.runtime.upload(within: limit)
            return nil
        } catch {
            return error
        }
    }
}
