import { useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import { sluice } from './client.js';
import { startPush } from './push.js';

const products = [
  { product: 'lamp', price: 49.9 },
  { product: 'chair', price: 120 },
];

/** A shop with two products. */
export function App() {
  const [basket, setBasket] = useState<readonly string[]>([]);
  useEffect(() => {
    sluice.track('screen_viewed', { screen: 'shop' });
    void startPush();
  }, []);
  const add = (added: (typeof products)[number]): void => {
    sluice.track('product_added', added);
    setBasket([...basket, added.product]);
  };
  return (
    <View>
      {products.map((one) => (
        <Button key={one.product} title={`Put a ${one.product} into the basket`} onPress={() => add(one)} />
      ))}
      <Text>{basket.length > 0 ? `In the basket: ${basket.join(', ')}.` : 'The basket is empty.'}</Text>
    </View>
  );
}
