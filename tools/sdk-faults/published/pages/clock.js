// The clock of a page, which the run steers: `clock.set(now, speed)`. It comes before the SDK, as a script of its own.
(() => {
  const realDate = Date;
  const realPerformance = performance.now.bind(performance);
  const [later, again] = [setTimeout.bind(window), setInterval.bind(window)];
  const [abortAfter, timeout] = [
    AbortSignal.timeout.bind(AbortSignal),
    Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, 'timeout'),
  ];
  let speed = 1;
  let [wall, monotonic, since] = [realDate.now(), 0, realPerformance()];

  const passed = () => (realPerformance() - since) * speed;
  const now = () => Math.floor(wall + passed());

  window.clock = {
    set(newNow, newSpeed) {
      monotonic += passed();
      [wall, since, speed] = [newNow, realPerformance(), newSpeed];
    },
  };
  performance.now = () => monotonic + passed();
  window.Date = new Proxy(realDate, {
    construct: (target, args) => Reflect.construct(target, args.length > 0 ? args : [now()]),
    apply: () => new realDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  window.setTimeout = (work, ms = 0, ...args) => later(work, ms / speed, ...args);
  window.setInterval = (work, ms = 0, ...args) => again(work, ms / speed, ...args);
  AbortSignal.timeout = (ms) => abortAfter(ms / speed);
  Object.defineProperty(XMLHttpRequest.prototype, 'timeout', {
    get() {
      return timeout.get.call(this) * speed;
    },
    set(ms) {
      timeout.set.call(this, ms / speed);
    },
  });
})();
