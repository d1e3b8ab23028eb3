//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// `quickstart [TRACE] [--json FILE]`: replays a trace through the runtime on the embedded emulator.
///
/// Exit codes: 0 all went well, 1 something was lost or failed, 2 a bad line in the trace, 64 a command line it does not
/// understand.
@main
enum Quickstart {
    static func main() async {
        switch CommandLineOptions.parse(Array(CommandLine.arguments.dropFirst())) {
        case .help:
            print(CommandLineOptions.usage)
        case .wrong(let reason):
            Self.complain(reason + "\n" + CommandLineOptions.usage)
            exit(64)
        case .options(let options):
            exit(await Self.run(options))
        }
    }

    private static func run(_ options: CommandLineOptions) async -> Int32 {
        let path = options.trace ?? Bundle.module.path(forResource: "shop-day", ofType: "jsonl") ?? "shop-day.jsonl"
        do {
            let trace = try Trace(contentsOf: path)
            print("Replaying \(trace.lines.count) lines of \((path as NSString).lastPathComponent).")
            let folder = try ReplayFolder()
            let report = try await Replay(trace, in: folder.path).run()
            Tables(report).print()
            if let file = options.json { try JSONReport(report).write(to: file) }
            print("")
            let crowd = try await CrowdAct(in: folder.path + "-crowd").run()
            crowd.print()
            guard report.totals.lost == 0, crowd.isAsPromised else {
                Self.complain("Something was lost, or the crowd was not served as promised: see above.")
                return 1
            }
            return 0
        } catch let error as TraceError {
            Self.complain(error.description)
            return 2
        } catch {
            Self.complain("quickstart: \(error)")
            return 1
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
