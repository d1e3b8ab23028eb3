// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// One request of Infobip's API, read by its path and its body alone.
struct InfobipExchange: Sendable {
    enum Kind: String, Sendable {
        case register, fetchInstallation, saveInstallation, expire
        case fetchUser, saveUser, personalize, depersonalize
        case events, sessions, address
    }

    let kind: Kind
    /// `installationid`: who asks, as it named itself.
    let caller: String
    /// `pushregistrationid`: who asks, as the service named it.
    let own: String
    /// The registration in the path.
    let target: String
    let forces: Bool
    let keepsAsLead: Bool
    let becomesPrimary: Bool
    let body: JSONValue

    /// Nil for what is not Infobip's API.
    init?(_ request: TransportRequest) {
        let halves = request.url.split(separator: "?", maxSplits: 1)
        let path = halves[0].split(separator: "/").map(String.init)
        guard let place = path.firstIndex(of: "appinstance") ?? path.firstIndex(of: "baseurl") else { return nil }
        let rest = Array(path[(place + 1)...])
        self.target = rest.first ?? ""
        let action = rest.dropFirst().joined(separator: "/")
        switch (request.method, path[place], action) {
        case (_, "baseurl", _): self.kind = .address
        case (.post, _, "") where rest.isEmpty: self.kind = .register
        case (.get, _, ""): self.kind = .fetchInstallation
        case (.patch, _, ""): self.kind = .saveInstallation
        case (.delete, _, ""): self.kind = .expire
        case (.get, _, "user"): self.kind = .fetchUser
        case (.patch, _, "user"): self.kind = .saveUser
        case (.post, _, "personalize"): self.kind = .personalize
        case (.post, _, "depersonalize"): self.kind = .depersonalize
        case (.post, _, "user/events/custom"): self.kind = .events
        case (.post, _, "user/events/session"): self.kind = .sessions
        default: return nil
        }
        self.caller = request.headers["installationid"]?.lowercased() ?? ""
        self.own = request.headers["pushregistrationid"] ?? ""
        let query = halves.count > 1 ? halves[1].split(separator: "&").map(String.init) : []
        self.forces = query.contains("forceDepersonalize=1")
        self.keepsAsLead = query.contains("keepAsLead=1")
        self.becomesPrimary = query.contains("setDeviceAsPrimary=1")
        do {
            self.body = request.body.isEmpty ? .null : try JSONReader.read(request.body)
        } catch {
            return nil
        }
    }

    /// What it says of a person or an installation, by names; nil takes away.
    var said: [String: String?] {
        switch self.kind {
        case .saveUser: Self.flat(self.body)
        // What a device has of its own is not what its person has.
        case .saveInstallation, .register:
            Dictionary(
                uniqueKeysWithValues: Self.flat(self.body).map { key, value in
                    (key.hasPrefix("custom.") ? "own." + key.dropFirst("custom.".count) : key, value)
                }
            )
        case .personalize: Self.flat(self.body["userAttributes"] ?? .null)
        default: [:]
        }
    }

    /// Who it says somebody is.
    var identity: [String: String?] {
        Self.flat(self.body["userIdentity"] ?? .null)
    }

    /// What it says, to read and always in the same order.
    var text: String {
        let said = self.said.filter { !Self.system.contains($0.key) }.sorted { $0.key < $1.key }
        return said.map { "\($0.key)=\($0.value ?? "nil")" }.joined(separator: " ")
    }

    /// What a device runs on.
    private static let system: Set<String> = ["os", "sdkVersion", "notificationsEnabled", "pushServiceType"]

    /// The names of the events that it tells.
    var events: [String] {
        self.body["events"]?.array?.compactMap { $0["definitionId"]?.string } ?? []
    }

    /// Lists as texts with commas between, custom attributes with a prefix.
    static func flat(_ value: JSONValue) -> [String: String?] {
        var flat: [String: String?] = [:]
        for (key, value) in value.object ?? JSONObject() {
            switch key {
            case "customAttributes":
                for (name, value) in value.object ?? JSONObject() {
                    flat["custom." + name] = .some(InfobipSample.text(value))
                }
            case "phones": flat[key] = .some(Self.list(value) { $0["number"]?.string })
            case "emails": flat[key] = .some(Self.list(value) { $0["address"]?.string })
            case "tags": flat[key] = .some(Self.list(value, \.string))
            default: flat[key] = .some(InfobipSample.text(value))
            }
        }
        return flat
    }

    private static func list(_ value: JSONValue, _ text: (JSONValue) -> String?) -> String? {
        let texts = value.array?.compactMap(text) ?? []
        return texts.isEmpty ? nil : texts.joined(separator: ",")
    }
}
