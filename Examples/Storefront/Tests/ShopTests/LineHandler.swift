// SPDX-License-Identifier: Apache-2.0

import Logging

/// What the shop logs, as a stream of its messages.
struct LineHandler: LogHandler {
    let lines: AsyncStream<String>.Continuation
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    init(_ lines: AsyncStream<String>.Continuation) {
        self.lines = lines
    }

    func log(event: LogEvent) {
        self.lines.yield("\(event.message)")
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }
}
