// SPDX-License-Identifier: Apache-2.0

import SignetModel

import class FoundationEssentials.FileManager
import class FoundationEssentials.ProcessInfo

/// A path to a folder as a setting has it, made absolute.
struct DirectoryPath: Sendable, Hashable {
    /// The folders that paths are relative to.
    struct Surroundings: Sendable, Hashable {
        /// The home directory of the user; nil if it is unknown.
        var home: String?
        /// The working directory; empty if it is gone.
        var working: String

        /// Makes surroundings.
        init(home: String?, working: String) {
            self.home = home
            self.working = working
        }

        /// The surroundings of this process at this moment: `HOME`, else the user's entry in the password database.
        static var current: Surroundings {
            let files = FileManager.default
            let home = ProcessInfo.processInfo.environment["HOME"] ?? files.homeDirectoryForCurrentUser.path
            return Surroundings(home: home, working: files.currentDirectoryPath)
        }
    }

    /// The fault of a path, and what to do.
    struct Problem: Error, Sendable, Hashable {
        let message: String
    }

    /// The absolute path: begins with a slash, may have `.` and `..` and symbolic links.
    let absolute: String

    /// Expands `~` and makes a relative path absolute.
    ///
    /// - Parameters:
    ///   - text: The path of the setting.
    ///   - surroundings: The folders that it is relative to.
    /// - Throws: A ``Problem``, whose message follows the name of the setting.
    init(_ text: String, in surroundings: Surroundings) throws(Problem) {
        guard !text.isEmpty else { throw Problem(message: "is empty: give a folder that this process can write to") }
        guard !text.utf8.contains(0) else { throw Problem(message: "contains a NUL byte: give a path without it") }
        // Else the state would be in a folder that another reading of the setting does not name.
        if let fault = SettingTextFault(text) { throw Problem(message: fault.advice) }
        if text.hasPrefix("/") {
            self.absolute = text
        } else if text.hasPrefix("~") {
            self.absolute = try Self.expand(text, surroundings.home)
        } else {
            guard surroundings.working.hasPrefix("/") else {
                throw Problem(message: "is relative, and the working directory is gone: give the full path")
            }
            self.absolute = Self.join(surroundings.working, text)
        }
    }

    private static func expand(_ text: String, _ home: String?) throws(Problem) -> String {
        let rest = text.dropFirst()
        guard rest.isEmpty || rest.hasPrefix("/") else {
            throw Problem(
                message: "names the home of another user by ~: give the full path of that folder, "
                    + "or put ./ before the name of a folder that begins with ~"
            )
        }
        guard let home, home.hasPrefix("/"), !home.utf8.contains(0) else {
            throw Problem(message: "begins with ~, and the home directory is unknown: set HOME, or give the full path")
        }
        return rest.isEmpty ? home : Self.join(home, String(rest.drop { $0 == "/" }))
    }

    private static func join(_ folder: String, _ rest: String) -> String {
        if rest.isEmpty { return folder }
        return folder.hasSuffix("/") ? folder + rest : folder + "/" + rest
    }
}

extension SignetConfiguration {
    /// Makes the directory absolute.
    ///
    /// - Parameter surroundings: The folders that it is relative to.
    /// - Returns: The problem, with the name of the setting; nil if there is none.
    mutating func settleDirectory(in surroundings: DirectoryPath.Surroundings) -> String? {
        do throws(DirectoryPath.Problem) {
            self.directory = try DirectoryPath(self.directory, in: surroundings).absolute
            return nil
        } catch {
            return "directory \(error.message)"
        }
    }
}
