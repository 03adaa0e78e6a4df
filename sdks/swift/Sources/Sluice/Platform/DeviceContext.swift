import Foundation

/// Context of each message. Identifiers, which are ASCII in every locale.
enum DeviceContext {
    static var current: [String: Any] {
        ["app": app, "os": os, "locale": Locale.current.identifier, "timezone": TimeZone.current.identifier]
    }

    private static let app: [String: String] = {
        let info = Bundle.main.infoDictionary ?? [:]
        let known: [String: String?] = [
            "version": info["CFBundleShortVersionString"] as? String,
            "build": info["CFBundleVersion"] as? String,
            "namespace": Bundle.main.bundleIdentifier,
        ]
        return known.compactMapValues { $0 }
    }()

    private static let os: [String: String] = {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return ["name": systemName, "version": "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"]
    }()

    private static var systemName: String {
        #if os(iOS)
        return "iOS"
        #elseif os(macOS)
        return "macOS"
        #else
        return "Linux"
        #endif
    }
}
