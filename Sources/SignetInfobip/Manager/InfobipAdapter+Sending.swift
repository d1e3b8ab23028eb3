// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

extension InfobipAdapter {
    /// True if the installation has opted out.
    ///
    /// The driver may outlive it in memory: then the disk says it.
    ///
    /// - Throws: The error of the disk.
    func isOptedOut() throws(SignetError) -> Bool { try self.context.isOptedOut(self.installation) }

    func prepareToSend(_ driver: isolated Driver) -> Bool {
        do throws(SignetError) {
            guard try !self.isOptedOut() else { throw .optedOut }
        } catch {
            driver.carryOut(driver.adjust { $0.endAll(.failure(error)) })
            // Unknown: the runner of due work tries again.
            if error.code != .optedOut { self.context.workIsLeft(self.store.number) }
            return false
        }
        let hasToken = driver.hasToken
        driver.adjust { $0.hasToken = hasToken }
        return true
    }

    func stop(_ driver: isolated Driver) async {
        driver.apply { $0.endAll(.failure(.notRunning)) }
    }

    func answer(to operation: Machine.Operation, _ driver: isolated Driver) async -> Machine.Answer {
        // The operation must be on disk, so that a process that dies in the middle can find out its outcome.
        if let error = self.saveNow(driver) { return .failed(error, mayHaveHappened: false) }
        await self.services.lookUp(from: self.caller(driver))
        guard self.isStillWanted(operation, driver) else { return .failed(.cancelled, mayHaveHappened: false) }
        var operation = operation
        var events: [[UInt8]] = []
        if let ordinals = operation.events {
            do throws(SignetError) {
                let read = try self.events(ordinals, driver)
                let planned = operation
                (events, operation) = (read.elements, driver.adjust { $0.fit(first: read.taken, of: planned) })
            } catch {
                return .failed(error, mayHaveHappened: false)
            }
        }
        let request = self.services.requests.request(
            for: operation,
            of: driver.machine.memory.active?.id ?? "",
            service: driver.machine.memory.pushService,
            isFresh: driver.machine.memory.isFresh(self.context.time.milliseconds),
            events: events
        )
        guard let request else { return .done }
        var token: Secret?
        if request.route.takesToken, let provider = self.services.configuration.tokens {
            switch await driver.token(from: provider, mayAsk: !operation.isLast) {
            case .success(let given): token = given
            case .failure(let error): return .failed(error, mayHaveHappened: false)
            }
            guard self.isStillWanted(operation, driver) else { return .failed(.cancelled, mayHaveHappened: false) }
        }
        let caller = self.caller(driver)
        let (reply, hasMoved) = await self.services.sender.send(
            request.route,
            request.body,
            from: caller,
            token: token
        )
        if hasMoved { await self.services.resume() }
        if token != nil { driver.judgeToken(reply, request.route) }
        switch reply {
        case .failure(let error):
            return .failed(error, mayHaveHappened: !error.isBeforeArrival)
        case .success(let verdict):
            return self.judge(verdict, request.route, caller.pushRegistrationID)
        }
    }

    /// Asks again after a wait whether an operation may be sent.
    ///
    /// - Returns: False if a reset, an erasure or an opt-out has taken it back meanwhile.
    private func isStillWanted(_ operation: Machine.Operation, _ driver: isolated Driver) -> Bool {
        guard driver.machine.inFlight?.operation == operation else { return false }
        do throws(SignetError) {
            if try !self.isOptedOut() { return true }
        } catch {
            self.context.workIsLeft(self.store.number)
        }
        driver.apply { $0.takeBack() }
        return false
    }

    private func judge(
        _ verdict: InfobipVerdict,
        _ route: InfobipRoute,
        _ registration: String?
    ) -> Machine.Answer {
        if let answer = Machine.Answer(verdict, to: route, of: registration) { return answer }
        guard case .data(let bytes) = verdict else { return .done }
        do throws(WireError) {
            switch route {
            case .createInstallation, .fetchInstallation: return .installation(try InfobipReply.installation(bytes))
            case .fetchUser, .personalize: return .user(try InfobipReply.user(bytes))
            default: return .done
            }
        } catch {
            let error = SignetError(.unexpectedAnswer, error.message, cause: error)
            return .failed(error, mayHaveHappened: true)
        }
    }

    /// Reads the first events that fit in a request.
    ///
    /// - Returns: The events, and the number of ordinals that they stand for; a damaged event counts, and is left out.
    private func events(
        _ ordinals: [UInt64],
        _ driver: isolated Driver
    ) throws(SignetError) -> (elements: [[UInt8]], taken: Int) {
        var elements: [[UInt8]] = []
        var bytes = 0
        for (index, ordinal) in ordinals.enumerated() {
            guard let element = try self.event(ordinal, driver) else { continue }
            bytes += element.count + 1
            guard elements.isEmpty || bytes <= InfobipLimits.eventBytes else { return (elements, index) }
            elements.append(element)
        }
        return (elements, ordinals.count)
    }

    private func event(_ ordinal: UInt64, _ driver: isolated Driver) throws(SignetError) -> [UInt8]? {
        guard self.store.persistsUser else { return driver.state.unwritten[ordinal] }
        return try self.store.event(ordinal) { self.context.reportDamage($0) }
    }

    private func caller(_ driver: isolated Driver) -> InfobipCaller {
        InfobipCaller(
            pushRegistrationID: driver.machine.memory.active?.id,
            installationID: self.universalID,
            sessionStart: driver.machine.memory.last.sessions.current(now: self.context.time.milliseconds)?.start,
            isForeground: driver.machine.isActive
        )
    }
}

extension InfobipOperation {
    /// True for the last attempt for a person who leaves, which waits for nothing.
    fileprivate var isLast: Bool {
        if case .saveUser(_, _, isLast: true) = self { true } else { false }
    }
}
