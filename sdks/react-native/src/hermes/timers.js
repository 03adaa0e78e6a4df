// Timers with a clock of their own: those of the `hermes` program ignore the time. The next timer fires after some
// hundred turns, in which all other work should have ended.
(function () {
  var turn = setTimeout;
  var turns = 300;
  var now = 1769860800000;
  var timers = [];
  var isGoing = false;
  Date.now = function () {
    return now;
  };
  globalThis.setTimeout = function (work, ms) {
    var timer = { at: now + (ms || 0), work: work };
    timers.push(timer);
    if (!isGoing) wait(turns);
    isGoing = true;
    return timer;
  };
  globalThis.clearTimeout = function (timer) {
    var at = timers.indexOf(timer);
    if (at >= 0) timers.splice(at, 1);
  };
  function wait(left) {
    turn(left > 0 ? wait.bind(null, left - 1) : fire, 0);
  }
  function fire() {
    timers.sort(function (one, other) {
      return one.at - other.at;
    });
    var next = timers.shift();
    isGoing = Boolean(next);
    if (!next) return;
    now = Math.max(now, next.at);
    next.work();
    wait(turns);
  }
})();
