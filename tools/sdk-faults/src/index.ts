export { kotlinClassPath, kotlinModule } from './kotlin/class-path.js';
export { type Fault, faults } from './proxy/fault.js';
export { FaultProxy, type SeenRequest } from './proxy/fault-proxy.js';
export { type FaultShares, faultsBySeed } from './proxy/faults-by-seed.js';
