// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything in the files of a folder, as text.
package func allBytes(in path: String) throws -> String {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    var text = ""
    for name in names {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else { continue }
        text += String(decoding: data, as: UTF8.self)
    }
    return text
}
