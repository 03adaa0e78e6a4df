// swift-tools-version:6.0
import PackageDescription

// Manifest of the published repository, whose root SwiftPM reads (sdks/swift/release/export.mjs). Tests and stand-ins stay
// in the repository of the service.

/// Product that xcframework.sh builds as a framework, which must be dynamic.
let framework = Context.environment["SLUICE_FRAMEWORKS"]
let type: Product.Library.LibraryType? = framework == nil ? nil : .dynamic
let manifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
let core: Target = framework == "SluiceNotifications"
    ? .binaryTarget(name: "SluiceSDK", path: ".build/frameworks/SluiceSDK.xcframework")
    : .target(name: "SluiceSDK", resources: manifest)
let notifications: Target = .target(name: "SluiceNotifications", dependencies: ["SluiceSDK"], resources: manifest)
let products = framework.map { [$0] } ?? ["SluiceSDK", "SluiceNotifications"]

let package = Package(
    name: "sluice-ios",
    platforms: [.iOS(.v14), .macOS(.v11)],
    products: products.map { .library(name: $0, type: type, targets: [$0]) },
    targets: framework == "SluiceSDK" ? [core] : [core, notifications],
    swiftLanguageModes: [.v6]
)
