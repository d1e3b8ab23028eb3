// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTestSupport
import Testing

@testable import two_devices

@Suite struct TwoDevicesTests {
    /// The whole output: whoever changes what the runtime does or what the platform shows sees it here.
    @Test func theStoryIsTheSameEachTime() async throws {
        let story = try await withTemporaryFolder { try await TwoDevices().play(in: $0) }
        #expect(story.description == Self.expected)
    }

    @Test func theFolderIsGoneAfterwards() async throws {
        let folder = try await withTemporaryFolder { folder in
            _ = try await TwoDevices().play(in: folder)
            return folder
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    private static let expected = """
        No user has logged in: each device is its own lead
          phone     saves drink espresso; shows no user (type unknown)
          tablet    saves drink tea, size large; shows no user (type unknown)
          platform  lead without a name, drink espresso: phone
          platform  lead without a name, drink tea, size large: tablet

        Ann logs in on the phone: its lead becomes a customer and keeps its data
          phone     shows ann (customer), primary
          platform  customer ann, Ann, drink espresso: phone (primary)
          platform  lead without a name, drink tea, size large: tablet

        Ann logs in on the tablet: its lead is merged, and the customer's drink stays
          tablet    shows ann (customer), 2 installations
          platform  customer ann, Ann, drink espresso, size large: phone (primary), tablet

        The tablet saves a name in a tunnel
          tablet    pending; shows Lee
          platform  customer ann, Ann, drink espresso, size large: phone (primary), tablet
          tablet    after the tunnel: nothing is pending
          platform  customer ann, Ann, Lee, drink espresso, size large: phone (primary), tablet

        The phone makes the tablet the primary device
          phone     shows ann (customer)
          tablet    shows ann (customer), primary
          platform  customer ann, Ann, Lee, drink espresso, size large: phone, tablet (primary)

        Ann lost the phone and logs it out from the tablet
          tablet    1 installation left
          phone     shows ann (customer): it has not fetched yet
          phone     shows no user (type unknown)
          platform  customer ann, Ann, Lee, drink espresso, size large: tablet (primary)
          platform  lead without a name: phone
        """
}
