// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `signet`; without the traits `Tool` and `FleetTool` it prints how to build it.
@main
enum SignetTool {
    static func main() async {
        #if SIGNET_TOOL
        Terminal.outliveReaders()
        if let hint = SubcommandHint.text(for: CommandLine.arguments.dropFirst()) {
            SignetCommand.exit(withError: ValidationError(hint))
        }
        await SignetCommand.main()
        #else
        Terminal.complain("This command needs the trait Tool, which fetches Hummingbird and swift-argument-parser:")
        Terminal.complain("swift run --traits Tool signet --help")
        exit(2)
        #endif
    }
}
