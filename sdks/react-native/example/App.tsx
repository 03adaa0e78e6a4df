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
  const add = (offer: (typeof products)[number]): void => {
    sluice.track('product_added', offer);
    setBasket([...basket, offer.product]);
  };
  return (
    <View>
      {products.map((offer) => (
        <Button key={offer.product} title={`Put a ${offer.product} into the basket`} onPress={() => add(offer)} />
      ))}
      <Text>{basket.length > 0 ? `In the basket: ${basket.join(', ')}.` : 'The basket is empty.'}</Text>
    </View>
  );
}
