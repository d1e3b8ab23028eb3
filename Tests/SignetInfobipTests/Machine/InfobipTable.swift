// SPDX-License-Identifier: Apache-2.0

/// Stage, event, what is done, the state then, and the next request.
enum InfobipTable {
    static let rows = """
        """
}
