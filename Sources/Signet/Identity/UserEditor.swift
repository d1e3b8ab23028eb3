// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The attributes and the consent of one user, for changes that are made together: ``Installation/withUser(_:_:)``.
///
/// Changes are checked as they are made. The first one beyond a limit is kept, and `withUser` throws it and changes nothing.
public struct UserEditor: Sendable {
    /// The data of the user that a change replaces.
    struct Base: Sendable, Hashable {
        var attributes: AttributeEditor
        var consent: ConsentState?
    }

    /// The user's MPID.
    public let mpid: MPID
    /// The data before the changes.
    let base: Base
    /// The data with the changes.
    private(set) var edited: Base
    /// The first error of a change.
    private var failure: SignetError?

    /// Makes an editor; nil if there is no such user.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - directory: The users of the installation.
    ///   - latest: The latest consent of the user, which another installation may have.
    init?(of mpid: MPID, in directory: UserDirectory, _ latest: UserConsent? = nil) {
        guard let attributes = directory.editor(of: mpid), let entry = directory.entries[mpid] else { return nil }
        self.mpid = mpid
        let answered = entry.isEphemeral ? nil : latest
        self.base = Base(attributes: attributes, consent: answered.map(\.consent) ?? entry.consent)
        self.edited = self.base
    }

    /// True if the consent is another one than before.
    var isConsentChanged: Bool {
        self.edited.consent != self.base.consent
    }

    /// The attributes, with the changes made so far.
    public var attributes: [String: AttributeValue] {
        self.edited.attributes.attributes
    }

    /// An attribute; keys are not case-sensitive, and setting nil removes it.
    ///
    /// A value is a text of 1 to 4096 characters, a number, a list of 1 to 1000 entries of at most 512 characters, or
    /// `.null`, which makes the attribute a tag. A key has 1 to 256 characters.
    public subscript(key: String) -> AttributeValue? {
        get { AttributeEditor.spelling(of: key, in: self.attributes).flatMap { self.attributes[$0] } }
        set {
            self.edit { editor throws(SignetError) in
                try AttributeEditor.check(newValue ?? .null, for: key)
                try editor.set(newValue, for: key)
            }
        }
    }

    /// The user's consent, with the changes made so far; empty if there is none.
    ///
    /// Setting an empty state removes it.
    public var consent: ConsentState {
        get { self.edited.consent ?? ConsentState() }
        set { self.edited.consent = newValue.isEmpty ? nil : newValue }
    }

    /// Sets several attributes; all others stay.
    ///
    /// - Parameter attributes: The attributes, such as `try Attributes(encoding: profile)`.
    public mutating func set(_ attributes: Attributes) {
        for (key, value) in attributes { self[key] = value }
    }

    /// Makes an attribute a tag, which has no value.
    ///
    /// - Parameter key: The attribute's key, 1 to 256 characters.
    public mutating func setTag(_ key: String) {
        self[key] = .null
    }

    /// Removes an attribute; an unknown key has no effect.
    ///
    /// - Parameter key: The attribute's key.
    public mutating func removeAttribute(_ key: String) {
        self[key] = nil
    }

    /// Adds to a numeric attribute, in decimal; a missing attribute counts as zero.
    ///
    /// - Parameters:
    ///   - key: The attribute's key.
    ///   - amount: `.integer` or `.double`.
    public mutating func increment(_ key: String, by amount: AttributeValue = 1) {
        self.edit { editor throws(SignetError) in
            try AttributeEditor.check(amount, for: key)
            _ = try editor.increment(key, by: amount)
        }
    }

    /// Makes changes on a copy.
    ///
    /// - Returns: The copy, and the value that the closure returned.
    /// - Throws: The first error of a change.
    func changed<Result>(
        _ change: (inout UserEditor) -> Result
    ) throws(SignetError) -> (editor: UserEditor, result: Result) {
        var editor = self
        let result = change(&editor)
        if let failure = editor.failure { throw failure }
        return (editor, result)
    }

    private mutating func edit(_ change: (inout AttributeEditor) throws(SignetError) -> Void) {
        guard self.failure == nil else { return }
        do throws(SignetError) {
            try change(&self.edited.attributes)
        } catch {
            self.failure = error
        }
    }
}

extension UserEditor: CustomStringConvertible, CustomReflectable {
    /// The MPID and the names of the attributes, without values.
    public var description: String {
        "UserEditor(\(self.mpid), attributes: [\(self.attributes.keys.sorted().joined(separator: ", "))])"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["user": self.description])
    }
}
