// Globals that the runner of the vectors needs, and the SDK does not.
var console = { debug: function () {} };

function URL(text, base) {
  this.path = text;
  if (base !== undefined || text === '../vectors/') return;
  var parts = /^https?:\/\/([^/?]+)([^?]*)(.*)$/.exec(text);
  this.host = parts[1];
  this.pathname = parts[2] || '/';
  this.search = parts[3];
}

var Buffer = {
  byteLength: function (text) {
    return encodeURIComponent(text).replace(/%../g, '1').length;
  },
};
