// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Tells the story of two devices of one person.
@main
struct TwoDevicesTool {
    static func main() async {
        do {
            print(try await withTemporaryFolder { try await TwoDevices().play(in: $0) })
        } catch {
            FileHandle.standardError.write(Data("two-devices: \(error)\n".utf8))
            exit(1)
        }
    }
}
