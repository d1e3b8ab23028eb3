// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTrace

extension Trace {
    /// Where the day of a shop lies that comes with the quickstart.
    static func bundledDay() throws(TraceError) -> String {
        guard let path = Bundle.module.path(forResource: "shop-day", ofType: "jsonl") else {
            throw TraceError(
                file: "shop-day.jsonl",
                line: nil,
                reason: "the bundled trace is missing from the build folder"
            )
        }
        return path
    }
}
