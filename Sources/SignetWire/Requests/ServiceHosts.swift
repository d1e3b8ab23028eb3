// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// The base URLs of the services of a workspace.
///
/// The defaults are the hosts of the workspace's pod, which the API key names. One custom base URL, of an emulator or of
/// a CNAME, carries the documented paths of all services and takes precedence over the overrides.
package struct ServiceHosts: Sendable {
    private static let defaultPod = "us1"

    private let bases: [Service: String]

    package init(apiKey: String, customBaseURL: ServerURL? = nil, overrides: [Service: ServerURL] = [:]) {
        let pod = Self.pod(of: apiKey)
        var bases: [Service: String] = [:]
        for service in Service.allCases {
            bases[service] =
                (customBaseURL ?? overrides[service])?.text
                ?? "https://\(Self.hostName(of: service)).\(pod).mparticle.com"
        }
        self.bases = bases
    }

    /// The absolute URL of a route.
    package func url(for route: Route, apiKey: String) -> String {
        self.bases[route.service, default: ""] + route.path(apiKey: apiKey)
    }

    private static func hostName(of service: Service) -> String {
        switch service {
        case .identity: "identity"
        case .alias: "nativesdks"
        case .events: "s2s"
        }
    }

    // The pod becomes a part of a host name: a value that is not a plain label is ignored.
    private static func pod(of apiKey: String) -> String {
        guard let dash = apiKey.utf8.firstIndex(of: UInt8(ascii: "-")) else { return Self.defaultPod }
        let pod = apiKey[..<dash]
        let isLabel = pod.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isLabel && !pod.isEmpty ? String(pod) : Self.defaultPod
    }
}
