// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetTrace

/// Replays a shop's day through the runtime and the embedded emulator, and shows what the platform then knows.
@main
struct Quickstart {
    /// How it ended.
    enum ExitCode: Int32 {
        case success = 0
        case failure = 1
        /// The trace cannot be read, or this build has no live page.
        case unusable = 2
        /// `EX_USAGE` of sysexits.h.
        case badUsage = 64
    }

    static func main() async {
        let code = await self.run(Array(CommandLine.arguments.dropFirst()))
        exit(code.rawValue)
    }

    /// Does what the command line asks for.
    static func run(_ words: [String]) async -> ExitCode {
        do {
            let arguments = try Arguments(words)
            guard !arguments.wantsHelp else {
                print(Arguments.usage)
                return .success
            }
            if arguments.port != nil, let sentence = LivePage.missing {
                self.complain(sentence)
                return .unusable
            }
            return try await self.run(arguments)
        } catch let fault as Arguments.Fault {
            self.complain("\(fault.reason)\n\n\(Arguments.usage)")
            return .badUsage
        } catch let error as TraceError {
            self.complain(error.description)
            return .unusable
        } catch {
            self.complain("\(error)")
            return .failure
        }
    }

    private static func run(_ arguments: Arguments) async throws -> ExitCode {
        let trace = try TraceReader.read(arguments.trace ?? Trace.bundledDay())
        print("A day of \(trace.lines.count) lines in \(trace.file)")
        let progress = ProgressLine(total: trace.lines.count)
        let outcome = try await withTemporaryFolder { folder in
            let project = arguments.activatesVisitors ? EmulatedIterableProject.wishes : nil
            return try await Replay(trace, project: project).run(in: folder, progress: progress.show)
        }
        let glyphs = Glyphs.suited(to: ProcessInfo.processInfo.environment)
        print("\n\(Picture(StoryChoice.choose(from: Story.all(trace, outcome)), glyphs))\n")
        print("\(Summary(outcome))\n")
        let crowd = try await withTemporaryFolder { try await CrowdAct().run(in: $0) }
        print("\(crowd)\n")
        let app = try await withTemporaryFolder { try await AppAct().run(in: $0) }
        print("\(app)\n")
        print(DayTable(outcome))
        if let file = arguments.json {
            do {
                try Data(JSONReport(outcome).bytes).write(to: URL(filePath: file))
            } catch {
                self.complain("\(file): the report cannot be written")
                return .failure
            }
        }
        let isAsPromised =
            outcome.lost == 0 && outcome.missed == 0 && crowd.isAsPromised && app.isAsPromised
            && outcome.activation?.isAsPromised != false
        if let port = arguments.port { try await LivePage.serve(outcome.emulator, port: port) }
        return isAsPromised ? .success : .failure
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("quickstart: \(message)\n".utf8))
    }
}
