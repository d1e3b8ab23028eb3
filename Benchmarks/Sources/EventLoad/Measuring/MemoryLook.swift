// SPDX-License-Identifier: Apache-2.0

/// The memory of the process at one moment, in bytes.
struct MemoryLook {
    /// With what the allocator holds in reserve (`RssAnon`).
    let anonymous: Int
    /// What was allocated and not freed.
    let inUse: Int
}

extension MemoryLook {
    /// As it is now.
    static func now() throws -> MemoryLook {
        MemoryLook(anonymous: try Memory.anonymous(), inUse: Memory.inUse())
    }
}
