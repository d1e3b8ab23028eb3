//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// Runs one benchmark by name and prints its figures beside the floor of the same run.
@main
enum SignetBenchmarks {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "start":
            try await StartBenchmark(installations: Self.number(arguments, default: 1_000_000)).run()
        case "identity":
            try await IdentityBenchmark(calls: Self.number(arguments, default: 20_000)).run()
        default:
            print(
                """
                usage: signet-benchmarks start [INSTALLATIONS]   how long a runtime takes to open its directory (1000000)
                       signet-benchmarks identity [CALLS]        what an identity call costs without a network (20000)
                """
            )
            exit(arguments.isEmpty || arguments.first == "--help" ? 0 : 64)
        }
    }

    private static func number(_ arguments: [String], default number: Int) -> Int {
        arguments.count > 1 ? max(1, Int(arguments[1]) ?? number) : number
    }
}
