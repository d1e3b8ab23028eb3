// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `signet`; without the trait `Tool` it prints how to build it.
@main
enum SignetTool {
    static func main() async {
        #if Tool
        Terminal.outliveReaders()
        if let hint = SubcommandHint.text(for: CommandLine.arguments.dropFirst()) {
            SignetCommand.exit(withError: ValidationError(hint))
        }
        await SignetCommand.main()
        #else
        Terminal.complain("This command needs the trait Tool, which fetches Hummingbird and swift-argument-parser:")
        Terminal.complain("swift run --traits default,Tool signet --help")
        exit(2)
        #endif
    }
}
