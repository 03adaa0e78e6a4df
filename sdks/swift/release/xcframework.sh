#!/usr/bin/env bash
# Builds SluiceSDK.xcframework and SluiceNotifications.xcframework, for apps that do not use SwiftPM. Needs macOS with
# Xcode 16. Run it in the root of the published repository (export.mjs); the results are in .build/frameworks, zipped, with the
# checksum that a binaryTarget states.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=$PWD/.build/frameworks; rm -rf "$out"; mkdir -p "$out"

for product in SluiceSDK SluiceNotifications; do
  frameworks=()
  # The second framework is built upon the first, so that an app has the code of SluiceSDK once.
  export SLUICE_FRAMEWORKS=$product
  for platform in iOS 'iOS Simulator'; do
    archive="$out/$product-${platform// /}.xcarchive"
    # Distribution makes a .swiftinterface, so that another compiler version can read the framework.
    xcodebuild archive -scheme "$product" -destination "generic/platform=$platform" -archivePath "$archive" \
      -derivedDataPath "$out/derived" SKIP_INSTALL=NO BUILD_LIBRARY_FOR_DISTRIBUTION=YES
    framework=$(find "$archive" -name "$product.framework" -type d | head -1)
    # xcodebuild leaves the module and the privacy manifest of a package's product next to its framework.
    modules=$(find "$out/derived" -path "*BuildProductsPath*" -name "$product.swiftmodule" -type d | head -1)
    mkdir -p "$framework/Modules"; cp -R "$modules" "$framework/Modules/"
    cp "Sources/$product/PrivacyInfo.xcprivacy" "$framework/"
    frameworks+=(-framework "$framework")
    rm -rf "$out/derived"
  done
  xcodebuild -create-xcframework "${frameworks[@]}" -output "$out/$product.xcframework"
  (cd "$out" && zip -qry "$product.xcframework.zip" "$product.xcframework")
  echo "$product.xcframework.zip $(swift package compute-checksum "$out/$product.xcframework.zip")" >>"$out/checksums.txt"
done
cat "$out/checksums.txt"
