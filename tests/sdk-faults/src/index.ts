export { kotlinClassPath, kotlinModule } from './kotlin/class-path.js';
export { type Fault, faults } from './proxy/fault.js';
export { FaultProxy, type ProxiedRequest } from './proxy/fault-proxy.js';
export { type FaultShares, faultsBySeed } from './proxy/faults-by-seed.js';
export { kill } from './kills/kill-run.js';
export { listComplaints } from './kills/outcome.js';
export { swiftPlatform as swiftKills } from './swift/swift.js';
export { hasSwift, howToGetSwift, runSwift, swiftAt, SwiftDevice } from './swift/swift-device.js';
