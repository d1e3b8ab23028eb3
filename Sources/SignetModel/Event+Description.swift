// SPDX-License-Identifier: Apache-2.0

extension Event: CustomStringConvertible, CustomReflectable {
    /// The kind of event and the names of its attributes, without values.
    public var description: String {
        let kind =
            switch self.content {
            case .custom(let name, let type): "custom(\(name), \(type.wireName))"
            case .screen(let name): "screen(\(name))"
            case .commerce(let commerce): commerce.description
            case .crash(let report): report.description
            case .breadcrumb: "breadcrumb"
            case .optOut: "optOut"
            case .firstRun: "firstRun"
            case .uninstall: "uninstall"
            case .applicationState(let transition): transition.kind.rawValue
            case .pushRegistration: "pushRegistration"
            case .pushMessage(let message): message.description
            case .networkPerformance(let request): request.description
            case .user(.attributeChange): "userAttributeChange"
            case .user(.identityChange): "userIdentityChange"
            case .user(.profile(let change, _, _)): "profile(\(change.rawValue))"
            }
        return "Event(\(kind), attributes: \(self.attributes))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["event": self.description])
    }
}
