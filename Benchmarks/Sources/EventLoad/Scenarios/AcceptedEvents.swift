// SPDX-License-Identifier: Apache-2.0

/// Compares what producers have logged with what stands in the files, read without Signet.
struct AcceptedEvents {
    let measures: [Measure]

    /// Reads the files; what is not as it should be becomes a failure.
    ///
    /// - Parameters:
    ///   - counts: How many events each producer logged.
    ///   - directory: The runtime's, closed.
    ///   - results: Gets the failures.
    /// - Throws: What a system call or the runtime says.
    init(_ counts: [Int], in directory: String, _ results: inout Results) throws {
        var logged: UInt64 = 0
        for (producer, count) in counts.enumerated() {
            for number in 0..<count { logged &+= SampleEvent.fingerprint(producer: producer, number: number) }
        }
        let expected = counts.reduce(0, +)
        var found = 0
        var sum: UInt64 = 0
        var jsonBytes = 0
        var ids: [UInt64] = []
        ids.reserveCapacity(expected)
        var isLikeHand: Bool?
        let files = try JournalFiles.read(in: directory) { payload in
            guard let event = EventText(payload) else { return }
            found += 1
            sum &+= SampleEvent.fingerprint(producer: event.producer, number: event.number)
            ids.append(event.messageID)
            jsonBytes += payload.count
            if isLikeHand == nil { isLikeHand = HandEncoder.writesSame(as: payload, event) }
        }
        ids.sort()
        let doubled = zip(ids, ids.dropFirst()).count { $0 == $1 }
        if found != expected || sum != logged {
            results.fail("\(found) events with the checksum \(sum) in the files, \(expected) with \(logged) logged")
        }
        if doubled > 0 { results.fail("\(doubled) message ids stand in the files twice") }
        if files.damaged > 0 { results.fail("\(files.damaged) places in the files are no sound frames") }
        if isLikeHand == false {
            results.note("The hand encoder writes other bytes than the runtime: its floor is of another event.")
        }
        let json = Double(jsonBytes) / Double(max(1, found))
        let overhead = files.frames > 0 ? Double(files.bytes - files.payloadBytes) / Double(files.frames) : .nan
        self.measures = [
            Measure("events in the files (independent reader)", "", Double(found)),
            Measure("JSON of an event", "bytes", json),
            Measure("on disk per event", "bytes", json + overhead),
            // To a tenth: the header of a file is 80 bytes in 8 MiB.
            Measure(
                "on disk for 325 bytes of JSON",
                "bytes",
                ((325 + overhead) * 10).rounded() / 10,
                goal: .atMost(345)
            ),
        ]
    }
}
