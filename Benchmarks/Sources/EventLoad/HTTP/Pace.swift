// SPDX-License-Identifier: Apache-2.0

#if HTTP
import Signet

/// Logs at a steady rate and looks at the memory.
struct Pace {
    let rate: Double
    let seconds: Double
    let visitors: [Installation]

    /// How long one turn takes: events of a turn are logged at once.
    private static let turn = 0.01

    /// Logs until the time is over.
    ///
    /// - Returns: What the memory was, once a second.
    func run() async throws -> [MemoryLook] {
        var memory: [MemoryLook] = []
        var logged = 0
        let began = Nanoseconds.now
        while true {
            let elapsed = Double(Nanoseconds.now - began) / 1e9
            if elapsed >= Double(memory.count) { memory.append(try MemoryLook.now()) }
            guard elapsed < self.seconds else { return memory }
            let due = Int(elapsed * self.rate)
            while logged < due {
                try self.visitors[logged % self.visitors.count].log(SampleEvent.make(producer: 0, number: logged))
                logged += 1
            }
            try await Task.sleep(for: .seconds(Self.turn))
        }
    }
}
#endif
