import { type Range, ranges } from '../data/range';
import { Segmented } from '../ui/segmented';

const options = ranges.map((range) => ({ value: range, label: range }));

export const RangePicker = ({ value, onChange }: { value: Range; onChange: (range: Range) => void }) => (
  <Segmented label="Time" options={options} value={value} onChange={onChange} />
);
