// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// An erasure that is cut short at each of its steps.
@Suite(.watched) struct ErasureFaultTests {
    @Test(arguments: [Journal.Options.Storage.automatic, .written])
    func nothingIsLeftAfterwardsAndNobodyElseLosesAnything(storage: Journal.Options.Storage) async throws {
        let scene = try await ErasureScene(storage)
        #expect(try !scene.traces().isEmpty)
        let signet = try await scene.secondProcess()
        let waiting = signet.runtime.statistics.eventsWaiting
        let report = try await signet.runtime.eraseUser(scene.erased)
        #expect(try scene.traces().isEmpty)
        #expect(report.installations == 2)
        #expect(report.aliasRequests == 1)
        #expect(report.eventsDeadLettered == 1)
        #expect(report.batchesAbandoned == 0)
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsDropped == [.forgotten: report.events])
        #expect(statistics.eventsWaiting == waiting - report.events)
        #expect(statistics.eventsLost == 0)
        await signet.runtime.shutdown()
        let delivered = try await scene.deliver(from: scene.folder.path)
        #expect(delivered.others.sorted() == ErasureScene.others.sorted())
        #expect(delivered.erased.isEmpty)
        #expect(delivered.isErased)
        #expect(try scene.traces().isEmpty)
    }

    /// From some call on, the disk refuses everything; then it works again.
    @Test(arguments: [Int32(5), 28])
    func aDiskThatFailsInTheMiddleIsATypedErrorAndTheErasureIsFinishedLater(errno: Int32) async throws {
        var failing = 1
        while true {
            let scene = try await ErasureScene()
            let count = Locked<Int?>(nil)
            let signet = try await scene.secondProcess {
                $0.disk = Disk(asking: { [failing] request in
                    guard request.call != .read else { return nil }
                    let number = count.withLock { count -> Int? in
                        count = count.map { $0 + 1 }
                        return count
                    }
                    return number.map { $0 >= failing } == true ? .failure(errno) : nil
                })
            }
            count.withLock { $0 = 0 }
            var hasFailed = false
            do throws(SignetError) {
                try await signet.runtime.eraseUser(scene.erased)
            } catch {
                hasFailed = true
                #expect([.diskFull, .diskFailed].contains(error.code), "call \(failing): \(error)")
            }
            count.withLock { $0 = nil }
            let stands = try !Tombstone.stored(in: signet.runtime.context.store).isEmpty
            if hasFailed, stands, failing.isMultiple(of: 2) {
                // The next start finishes it.
                await signet.runtime.shutdown()
            } else {
                if stands {
                    // It is in force, though not finished.
                    await signet.takeIn()
                    #expect(signet.runtime.statistics.eventsLost == 0)
                }
                if hasFailed { try await signet.runtime.eraseUser(scene.erased) }
                #expect(try scene.traces() == [], "call \(failing)")
                #expect(signet.runtime.statistics.eventsLost == 0, "call \(failing)")
                await signet.runtime.shutdown()
            }
            let delivered = try await scene.deliver(from: scene.folder.path)
            #expect(delivered.others.sorted() == ErasureScene.others.sorted(), "call \(failing)")
            #expect(delivered.erased.isEmpty, "call \(failing)")
            #expect(try scene.traces() == [], "call \(failing)")
            guard hasFailed else { break }
            // The first calls one by one, the later ones, which are alike, in steps that do not divide them evenly.
            failing += failing < 20 ? TestScale.count(quick: 6, full: 1) : TestScale.count(quick: 11, full: 3)
        }
        #expect(failing > 30)
    }

    @Test func damagedRecordsDoNotBringBackWhatTheySaidBefore() async throws {
        let scene = try await ErasureScene()
        var signet = try await scene.secondProcess()
        // The newest record of `b` is damaged; the one before it names the user.
        let b = try await signet.runtime.open("b", identify: .none)
        try await b.setAttribute("damaged-value", for: "tier")
        await signet.runtime.shutdown()
        let state = "\(scene.folder.path)/state"
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasSuffix(".log") {
            guard var file = FileManager.default.contents(atPath: "\(state)/\(name)"),
                let place = file.range(of: Data("damaged-value".utf8))
            else { continue }
            file[place.lowerBound] ^= 1
            try file.write(to: URL(fileURLWithPath: "\(state)/\(name)"))
        }
        signet = try await scene.secondProcess()
        try await signet.runtime.eraseUser(scene.erased)
        #expect(try scene.traces() == [])
    }
}
