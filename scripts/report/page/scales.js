// Axes: from values to pixels and ticks, linear or logarithmic.

class Scale {
  // `ends` are values, `pixels` where they are drawn.
  constructor(ends, pixels, log) {
    this.log = log;
    [this.low, this.high] = ends;
    this.pixels = pixels;
  }

  at(value) {
    const turn = this.log ? Math.log : (x) => x;
    const clamped = this.log ? Math.max(value, this.low) : value;
    const share = (turn(clamped) - turn(this.low)) / (turn(this.high) - turn(this.low));
    return this.pixels[0] + share * (this.pixels[1] - this.pixels[0]);
  }
}

// The axis of a quantity: from 0, or from a round number below all values to one above.
function valueScale(values, pixels, log, room) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!log) {
    const top = high > 0 ? high * room : 1;
    const step = niceStep(top / 5);
    return new Scale([Math.min(0, low), room > 1.1 ? top : Math.ceil(top / step) * step], pixels, false);
  }
  let ends = [roundBelow(low), roundAbove(high * (room > 1.1 ? room : 1))];
  if (ends[0] === ends[1]) ends = [ends[0] / 2, ends[1] * 2];
  return new Scale(ends, pixels, true);
}

function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 2.5, 5].find((factor) => step <= factor * power * 1.0001) || 10);
}

function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return power * [5, 2, 1].find((factor) => factor * power <= value * 1.0001);
}

function roundAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return power * [1, 2, 5, 10].find((factor) => factor * power >= value * 0.9999);
}

function ticksOf(scale, count) {
  if (!scale.log) return linearTicks(scale, count);
  const ticks = [];
  const decades = Math.log10(scale.high / scale.low);
  if (decades < 0.7) return linearTicks(scale, count);
  const factors = decades < count / 2.5 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / count));
  for (let power = Math.floor(Math.log10(scale.low)); 10 ** power <= scale.high * 1.0001; power += 1) {
    if (power % stride) continue;
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= scale.low * 0.9999 && tick <= scale.high * 1.0001) ticks.push(tick);
    }
  }
  return ticks.length > 1 ? ticks : linearTicks(scale, count);
}

function linearTicks(scale, count) {
  const step = niceStep((scale.high - scale.low) / count);
  const ticks = [];
  for (let i = Math.ceil(scale.low / step); i * step <= scale.high * 1.0001; i += 1) ticks.push(i * step);
  return ticks;
}

function tickText(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential().replace(/e\+?/, ' e');
  return spaced(Number(value.toPrecision(6)));
}

// Of the measured values those whose names fit beside each other; the last always has its own.
function measuredTicks(scale, values, widthOf) {
  const kept = [];
  let free = Infinity;
  for (const value of [...values].reverse()) {
    const half = widthOf(value) / 2;
    if (scale.at(value) + half > free) continue;
    kept.unshift(value);
    free = scale.at(value) - half - 10;
  }
  return kept;
}
