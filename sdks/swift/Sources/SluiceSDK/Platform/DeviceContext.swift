import Foundation
#if canImport(Glibc)
import Glibc
#endif

/// Context of each message: identifiers, which are ASCII in every locale.
enum DeviceContext {
    static var current: [String: Any] {
        ["app": app, "os": os, "device": device, "locale": tag(Locale.current.identifier), "timezone": TimeZone.current.identifier]
    }

    /// BCP 47, like the other SDKs: `fa-IR` for `fa_IR@calendar=persian`.
    static func tag(_ identifier: String) -> String {
        String(identifier.prefix { $0 != "@" }).replacingOccurrences(of: "_", with: "-")
    }

    private static let device: [String: String] = {
        var names = utsname()
        guard uname(&names) == 0 else { return [:] }
        // The machine of a device is its model, such as iPhone16,2.
        let model = withUnsafeBytes(of: &names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #if canImport(Darwin)
        return ["manufacturer": "Apple", "model": model]
        #else
        return ["model": model]
        #endif
    }()

    private static let app: [String: String] = {
        let info = Bundle.main.infoDictionary ?? [:]
        let members: [String: String?] = [
            "version": info["CFBundleShortVersionString"] as? String,
            "build": info["CFBundleVersion"] as? String,
            "namespace": Bundle.main.bundleIdentifier,
        ]
        return members.compactMapValues { $0 }
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
