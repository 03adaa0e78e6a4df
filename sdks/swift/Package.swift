// swift-tools-version:6.0
import PackageDescription

// Stand-ins for the few types of Apple's frameworks that the package uses (Stubs/). With them Linux type-checks and runs
// the files that need UIKit and UserNotifications. Apps never set SLUICE_STUBS.
let hasStubs = Context.environment["SLUICE_STUBS"] != nil
let stubs: [SwiftSetting] = hasStubs ? [.define("SLUICE_STUBS")] : []
let stubTargets: [Target.Dependency] = hasStubs ? ["UIKit", "UserNotifications"] : []

let package = Package(
    name: "Sluice",
    platforms: [.iOS(.v14), .macOS(.v11)],
    products: [
        .library(name: "SluiceSDK", targets: ["SluiceSDK"]),
        .library(name: "SluiceNotifications", targets: ["SluiceNotifications"]),
    ],
    targets: [
        .target(
            name: "SluiceSDK",
            dependencies: hasStubs ? ["ExpiringActivity"] : [],
            resources: hasStubs ? [] : [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: stubs
        ),
        .target(
            name: "SluiceNotifications",
            dependencies: ["SluiceSDK"] + stubTargets,
            resources: hasStubs ? [] : [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: stubs
        ),
        .target(name: "TestSupport", path: "Tests/Support"),
        .testTarget(name: "SluiceTests", dependencies: ["SluiceSDK", "TestSupport"]),
        // Program that end-to-end and kill tests start as processes of their own.
        .executableTarget(name: "sluice-device", dependencies: ["SluiceSDK"], path: "Tests/Device"),
    ],
    swiftLanguageModes: [.v6]
)

if hasStubs {
    package.targets += [
        .target(name: "UIKit", path: "Stubs/UIKit"),
        .target(name: "UserNotifications", path: "Stubs/UserNotifications"),
        .target(name: "ExpiringActivity", path: "Stubs/ExpiringActivity"),
        .testTarget(
            name: "SluiceNotificationsTests",
            dependencies: ["SluiceSDK", "SluiceNotifications", "TestSupport", "ExpiringActivity"] + stubTargets,
            swiftSettings: stubs
        ),
    ]
}
