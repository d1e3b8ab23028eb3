// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

// Questions that change nothing, and the errors of all questions in Signet's words.
extension FleetMember {
    /// Asks for facts alone, after the store was found usable.
    ///
    /// - Returns: The answer with its moments.
    /// - Throws: ``SharedStoreError``; never `outcomeUnknown`: a question whose answer is lost has changed nothing.
    nonisolated(nonsending) func look<Value: Sendable>(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> Answer<Value> {
        do throws(SharedStoreError) {
            return try await self.ask(.readings, body)
        } catch {
            throw error.ofReading
        }
    }

    /// The same; an error is one of Signet's.
    nonisolated(nonsending) func looked<Value: Sendable>(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SignetError) -> Value {
        do throws(SharedStoreError) { return try await self.look(body).value } catch { throw SignetError(error) }
    }

    /// Asks the store; an error is one of Signet's.
    nonisolated(nonsending) func asked<Value: Sendable>(
        _ calls: HealthReason.StoreCalls,
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SignetError) -> Value {
        do throws(SharedStoreError) { return try await self.ask(calls, body).value } catch { throw SignetError(error) }
    }

    // MARK: - Sessions

    /// The rules of sessions on the clock of now.
    func sessionRules(timeout: Duration) -> SharedSessionRules {
        SharedSessionRules(timeout: timeout.milliseconds, jumps: self.clock.jumps)
    }

    /// The moment up to which all replicas have told their activity of a row, in milliseconds since 1970.
    nonisolated(nonsending) func told(
        _ rules: SharedSessionRules,
        of key: UUID
    ) async throws(SignetError) -> Int64 {
        do throws(SharedStoreError) {
            let answer = try await self.look { store throws(SharedStoreError) in try await store.replicas() }
            return rules.told(at: answer.milliseconds, answer.value, of: key)
        } catch {
            throw SignetError(error)
        }
    }
}
