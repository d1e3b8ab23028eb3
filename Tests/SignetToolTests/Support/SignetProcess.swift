// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Foundation
import SignetTestSupport

/// The program `signet` of the same build.
enum SignetProcess {
    private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet"

    /// Runs the program to its end; holds no thread meanwhile, for the server needs them.
    static func end(
        _ arguments: [String],
        readsOutput: Bool = false,
        environment: [String: String]? = nil
    ) async throws -> (status: Int32, text: String) {
        try await ownThread {
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments
            if let environment { process.environment = environment }
            let pipe = try start(process) {
                let pipe = Pipe()
                process.standardOutput = readsOutput ? pipe : FileHandle.nullDevice
                process.standardError = readsOutput ? FileHandle.nullDevice : pipe
                return pipe
            }
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
    }
}
#endif
