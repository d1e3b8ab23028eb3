//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

// Sending, with or without further tries.
extension IdentityManager {
    func answer(to plan: IdentityPlan, of number: Int, _ home: any IdentityHome) async -> IdentityAnswer {
        let policy = self.policy(of: number)
        let start = self.services.time.uptime
        var attempt = 1
        var plan = plan
        while true {
            let answer = await self.attempt(plan)
            guard case .failed(let error) = answer, let policy else { return answer }
            let elapsed = self.services.time.uptime - start
            let chance = self.services.chance()
            guard let pause = policy.delay(afterAttempt: attempt, error: error, elapsed: elapsed, chance: chance) else {
                return answer
            }
            // Cancelled in the pause: the runtime ends, and the last error is what the caller gets.
            do { try await self.services.time.sleep(for: pause) } catch { return answer }
            // Another object has taken the place of this one: its answer would be lost.
            if home.isRetired { return .failed(.closed) }
            if let obstacle = self.machine.obstacleToRepeating(number) { return .failed(obstacle) }
            plan = self.machine.planToRepeat(number) ?? plan
            attempt += 1
        }
    }

    /// One try.
    ///
    /// Each has a request id and a time of its own.
    private func attempt(_ plan: IdentityPlan) async -> IdentityAnswer {
        let result = await self.services.dispatcher.perform(
            plan.route,
            of: self.installation,
            body: self.body(of: plan),
            timeout: self.services.requestTimeout
        )
        switch result {
        case .success(let body): return self.read(body, of: plan)
        case .failure(let error):
            if case .search = plan, error.code == .refused, error.httpStatus == 404 { return .found(.notFound) }
            return .failed(error)
        }
    }

    private func body(of plan: IdentityPlan) -> [UInt8] {
        let now = self.services.time.milliseconds
        switch plan {
        case .transition(_, let known, let previous, let context, _):
            return self.identityBody(known, previous: previous, context: context, now: now)
        case .search(let known):
            return self.identityBody(known, previous: nil, context: nil, now: now)
        case .modify(_, let changes, _):
            return ModifyBody(
                environment: self.services.environment,
                requestID: UUID(),
                milliseconds: now,
                changes: changes
            ).encoded()
        }
    }

    private func identityBody(
        _ known: [IdentityType: String],
        previous: MPID?,
        context: String?,
        now: Int64
    ) -> [UInt8] {
        IdentityBody(
            environment: self.services.environment,
            requestID: UUID(),
            milliseconds: now,
            previousMPID: previous,
            context: context,
            knownIdentities: known
        ).encoded()
    }

    private func read(_ body: [UInt8], of plan: IdentityPlan) -> IdentityAnswer {
        do throws(WireError) {
            switch plan {
            case .transition:
                return .user(try IdentityReply(body))
            case .modify:
                return .modified(try ModifyReply(body))
            case .search:
                let reply = try IdentityReply(body)
                let match = SearchResult.Match(
                    mpid: reply.mpid,
                    isLoggedIn: reply.isLoggedIn,
                    matchedIdentities: reply.matchedIdentities
                )
                return .found(.found(match))
            }
        } catch {
            return .failed(SignetError(.unexpectedAnswer, error.message, cause: error))
        }
    }
}
